"""How documents are changed, as data and as text; other packages choose the changes."""
