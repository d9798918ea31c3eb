"""A lint run from end to end: checks, settling, ignores, fixes; what is checked is in `rules`."""
