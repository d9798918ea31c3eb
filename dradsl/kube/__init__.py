"""What the API server does with the objects of resource.k8s.io, and with the pods that use them.

`fields` is the table of every kind and field; `structure` decodes strictly by it, `defaulting`,
`conversion` and `gates` follow in the server's order, and `validation` is its rules with its
words.  `admission.admit` is the whole way of one object.  `workloads` finds pod specs in
objects of any kind, `pods` judges the claims and extended resources in them.

Everything here is plain data in, plain data out.  The package itself imports nothing, so that
each user pays only for the modules it asks for.
"""
