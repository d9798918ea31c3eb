"""Family 6: what the API server only warns of in slices."""
