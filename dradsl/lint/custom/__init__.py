"""Rules that a team writes for itself: what one says, and the YAML files that hold them."""
