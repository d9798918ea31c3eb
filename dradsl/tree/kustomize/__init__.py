"""Kustomizations: what they take in, how their patches reach objects, and what Kustomize builds of them."""
