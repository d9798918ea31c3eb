"""The Kubernetes objects of the DSL."""
