"""A first configuration for a tree: what the files there name, and the text that says why for each line."""
