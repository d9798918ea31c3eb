"""Changes to a document, as data and as text; not which changes."""
