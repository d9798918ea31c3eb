"""Python generated from driver schemas and from manifests; nothing at the run time of a build."""
