"""A lint run from end to end: checks, settling, ignores, fixes."""
