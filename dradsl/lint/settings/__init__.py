"""The configuration of a run: keys, where they are found, which rules and files; no files of manifests."""
