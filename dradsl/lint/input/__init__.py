"""The files of a run: read, parsed, as Kubernetes objects and Helm values; also the state before a change."""
