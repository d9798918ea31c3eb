"""Family 0: whole objects that hold what the API server takes no notice of."""
