"""The Kubernetes objects of the DSL as builders, and read back from data; no files, no lint."""
