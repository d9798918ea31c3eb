"""The configuration of a run: keys, where they are found, selection of rules and files."""
