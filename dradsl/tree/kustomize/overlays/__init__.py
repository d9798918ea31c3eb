"""Kustomizations, built as Kustomize does it: a module a step."""
