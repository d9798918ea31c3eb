"""A cluster before and after a change: its objects, claims that no longer match, and what to move."""
