module dradsl.dev/kustomizations

go 1.26

require sigs.k8s.io/kustomize/api v0.20.1
