"""Pages of the site that are made of the code and its data; `docs/_hooks.py` hands them to mkdocs."""
