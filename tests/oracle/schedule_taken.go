//go:build !k8s134 && !k8s135

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
)

// assume is the pod as the scheduler keeps it once a node is chosen: with the node, and with what its
// claims take of the node.
func assume(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *v1.Pod {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if utilfeature.DefaultFeatureGate.Enabled(features.DRANodeAllocatableResources) {
		logger := klog.FromContext(ctx)
		assumed.Status.NodeAllocatableResourceClaimStatuses =
			dynamicresources.ExtractPodNodeAllocatableResourceClaimStatus(logger, state, node)
	}
	return assumed
}

// showTaken adds to an answer what the API server knows of what the pod's claims take of the node.
func showTaken(pod *v1.Pod, reply answer) {
	if taken := pod.Status.NodeAllocatableResourceClaimStatuses; len(taken) > 0 {
		reply["nodeAllocatableResourceClaimStatuses"] = taken
	}
}

func podStatusStrategy() strategy { return podregistry.StatusStrategy }
