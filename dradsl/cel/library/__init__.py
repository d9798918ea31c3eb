"""Function libraries: `declarations` has their tables, and a module a family what the functions do.

Such a module has `FUNCTIONS`, Python functions by overload id. They take values of the right types:
the dispatcher has looked.
"""
