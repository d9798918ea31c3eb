"""What Kustomize builds from the files of a run, as far as that limits what may be migrated in place."""
