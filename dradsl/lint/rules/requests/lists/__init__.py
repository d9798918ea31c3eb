"""Family 3, lists in claims: items that repeat, that are missing, or that speak of one alternative only."""
