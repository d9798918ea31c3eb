"""Family 3, lists in claims: items that repeat, that are missing, or that mention one alternative only."""
