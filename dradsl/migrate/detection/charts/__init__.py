"""Charts among the files of a run: their folders, who installs them, and their values."""
