//go:build !k8s134 && !k8s135

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	quota "k8s.io/apiserver/pkg/quota/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
)

func claimEvaluator(list quota.ListerForResourceFunc, classes []*resourceapi.DeviceClass, store *stored) quota.Evaluator {
	return core.NewResourceClaimEvaluator(list, extendedResources(classes), corev1listers.NewPodLister(store.pods), store.ownedBy)
}

// ownedBy lists the claims that were made for the extended resources of a pod.
func (s *stored) ownedBy(namespace string, uid types.UID) ([]*resourceapi.ResourceClaim, error) {
	var found []*resourceapi.ResourceClaim
	for _, claim := range s.claims {
		owner := metav1.GetControllerOfNoCopy(claim)
		if claim.Namespace == namespace && claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" &&
			owner != nil && owner.Kind == "Pod" && owner.APIVersion == "v1" && owner.UID == uid {
			found = append(found, claim)
		}
	}
	return found, nil
}
