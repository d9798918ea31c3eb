"""Pods, workloads and PodGroups: the decoding of whole objects, and the validation of what names claims."""
