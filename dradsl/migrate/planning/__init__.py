"""What becomes of each use in a pod: decisions, obstacles, plans, and the changes that they make, but no files."""
