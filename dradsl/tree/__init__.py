"""Files of users on disk: one layer that reads, lists and writes below a tree and checks every step of a path."""
