"""Pods on a cluster: what kube-scheduler's plugin for devices does around the allocator, and reports of it.

Called, as in `dradsl.simulate(...)`, it is a function: `help(dradsl.api.simulate)`.
Private: names may change in any version.
"""
