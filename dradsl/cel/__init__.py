"""CEL as Kubernetes uses it: parse, check, estimate cost, evaluate."""
