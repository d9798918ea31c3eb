"""Rules that a team writes for itself: what one says."""
