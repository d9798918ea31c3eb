"""Files rewritten by what was found: fixes, and comments that ignore findings."""
