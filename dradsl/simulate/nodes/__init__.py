"""What rules a node out besides devices, and what claims take of its resources."""
