"""A staged rollout from device plugins to DRA drivers: stages of patches, each played and built before it is written."""
