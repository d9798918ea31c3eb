//go:build k8s135

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	quota "k8s.io/apiserver/pkg/quota/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
)

func claimEvaluator(list quota.ListerForResourceFunc, classes []*resourceapi.DeviceClass, store *stored) quota.Evaluator {
	return core.NewResourceClaimEvaluator(list, extendedResources(classes), corev1listers.NewPodLister(store.pods))
}
