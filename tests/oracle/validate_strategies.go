//go:build !k8s134 && !k8s135

package main

import (
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

func claimStrategy(client typedcorev1.NamespaceInterface) strategy {
	return resourceclaim.NewStrategy(client, allowAll)
}

func claimStatusStrategy(client typedcorev1.NamespaceInterface) strategy {
	return resourceclaim.NewStatusStrategy(resourceclaim.NewStrategy(client, allowAll))
}
