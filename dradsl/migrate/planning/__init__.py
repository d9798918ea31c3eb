"""What becomes of each use in a pod: decisions, obstacles, plans, and the changes they make; no files."""
