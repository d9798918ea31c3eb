"""YAML and JSON text as positioned nodes: loading, locating, and editing without reformatting."""
