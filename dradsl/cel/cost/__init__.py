"""What an expression costs: estimate (before it runs), actual (while it runs), bound (never exceeded)."""
