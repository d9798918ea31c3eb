"""From a user's module to manifests on disk: loading, checking, writing; the objects are in `objects`."""
