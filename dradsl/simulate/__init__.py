"""Pods on a cluster: what kube-scheduler's plugin for devices does around the allocator, and reports of it."""
