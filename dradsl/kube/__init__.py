"""What the API server does with the objects of resource.k8s.io, and with the pods that use them.

`server.api_server.ApiServer` is the one door: it answers what a release says of objects, pod specs
and CEL expressions.  Behind it, `fields` holds the table of every kind and field, with strict
decoding, defaults and conversion by it; `server.gates` drops what is disabled; `validation` is the
rules with the server's words; `pods` judges the claims and extended resources of pods, and
finds pod specs in objects of any kind (`pods.workloads`).

Everything here is plain data in, plain data out.  The package itself imports nothing, so that
each user pays only for the modules it asks for.
Private: names may change in any version.
"""
