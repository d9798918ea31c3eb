"""Lint for built objects, told at the lines of Python that built them; apps are in `building`."""
