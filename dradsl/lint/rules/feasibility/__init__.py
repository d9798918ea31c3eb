"""Family 7: what recorded slices say about claims."""
