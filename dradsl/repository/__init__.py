"""Files as people keep them: what each is, what is built of it together, and which of its values are open."""
