"""CEL selectors as Python expressions, and back."""
