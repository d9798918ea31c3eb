"""What becomes of each use: decisions, obstacles, plans, and the changes they make."""
