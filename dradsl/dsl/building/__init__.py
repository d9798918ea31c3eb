"""From a user's module to manifests on disk: loading, checking, writing."""
