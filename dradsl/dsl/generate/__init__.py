"""Python generated from driver schemas and from manifests."""
