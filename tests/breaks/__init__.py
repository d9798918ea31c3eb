"""The protections that docs/security.md claims, each taken away to see its test fail."""
