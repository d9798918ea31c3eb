"""Typed handles for what DRA drivers publish, one module a vendor.

The modules are generated from `schemas/drivers/` by `dradsl schema handles`; a test compares them.
Which module holds a driver's handles is said in `dradsl.dsl.data.modules.MODULES`.
"""
