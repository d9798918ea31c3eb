"""Function libraries, one module a family: declarations, and what the functions do.

A module has `DECLARATIONS` (the table that `dradsl.cel.functions` reads) and `FUNCTIONS`,
Python functions by overload id. They take values of the right types: the dispatcher has looked.
"""
