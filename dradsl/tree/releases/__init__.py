"""Helm releases with all of their values, in the order of Flux and Argo CD."""
