"""Helm releases with all of their values, in the order of Flux, Argo CD and Helmfile."""
