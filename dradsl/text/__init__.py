"""Filled in by its part: see the modules beside this file."""
