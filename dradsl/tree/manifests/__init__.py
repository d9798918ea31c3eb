"""Kubernetes objects in files: their data and places, patches, objects within texts, and values that are not known."""
