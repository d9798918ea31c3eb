"""CEL selectors as Python expressions, and back; nothing of Kubernetes objects."""
