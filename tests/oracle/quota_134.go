//go:build k8s134

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
)

// claimEvaluator of a release in which claims do not count by extended resources.
func claimEvaluator(list quota.ListerForResourceFunc, _ []*resourceapi.DeviceClass, _ *stored) quota.Evaluator {
	return core.NewResourceClaimEvaluator(list)
}
