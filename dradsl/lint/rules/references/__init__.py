"""Family 4: references between pods, claims, templates and classes."""
