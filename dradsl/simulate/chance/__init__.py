"""What a node may answer besides: what the scheduler leaves to chance, to time, and to the order of names."""
