"""Many nodes at once: each distinct node is searched once."""
