"""Charts and overlays by the programs that a caller names: helm and kustomize, offline and alone."""
