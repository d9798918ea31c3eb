"""Family 3: requests and constraints that the API server accepts in silence."""
