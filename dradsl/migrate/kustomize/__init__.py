"""What Kustomize makes of the files of a run, as far as it decides what may be migrated in place."""
