"""Family 5: what a release serves, knows, or drops."""
