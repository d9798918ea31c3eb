"""Typed handles for what DRA drivers publish, one module a vendor.

The modules are generated from `schemas/drivers/` by `dradsl schema export --as python`; a test compares them.
They are those of the drivers that most manifests name; `dradsl schema export DRIVER --as python -o FILE.py` writes
that of any other driver with a schema. Which module holds a driver's handles is said in `dradsl.dsl.data.modules.MODULES`.
"""
