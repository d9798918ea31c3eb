"""Reports of a migration, and the questions that it leaves open."""
