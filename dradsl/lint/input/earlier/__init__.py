"""The files of a run as they were before a change: in a folder, or in a commit that git has."""
