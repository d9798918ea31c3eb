"""The files of a run, now and before a change: Kubernetes objects and Helm values; nothing is judged."""
