"""What git says of files, read from its own files: which it ignores, and which it tracks all the same."""
