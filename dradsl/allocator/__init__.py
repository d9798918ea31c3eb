"""How kube-scheduler picks devices: pools and candidates, search, constraints, counters, capacity.

`inventory` reads slices and nodes, `plan` claims, `allocate` gives a node's devices; `simulate` places
pods on a `cluster`, and `explain` and `relax` say why something does not fit. Nothing here knows of
files or findings.
Private: names may change in any version.
"""
