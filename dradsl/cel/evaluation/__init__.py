"""A checked expression as nested Python closures."""
