"""YAML and JSON text as positioned nodes, a module a step: loading, locating, editing; no Kubernetes.

Private: names may change in any version.
"""
