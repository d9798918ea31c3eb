"""What git knows of files, read from its own files and objects: what it ignores, what it tracks, what a commit holds."""
