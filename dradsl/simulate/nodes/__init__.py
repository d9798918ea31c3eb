"""What rules a node out besides devices, and what claims take of its cpu, memory and huge pages."""
