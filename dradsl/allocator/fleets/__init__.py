"""Many nodes at once, each distinct one searched once; the search itself is in `engine`."""
