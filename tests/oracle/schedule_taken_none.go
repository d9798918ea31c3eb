//go:build k8s134 || k8s135

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
)

func assume(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *v1.Pod {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	return assumed
}

func showTaken(*v1.Pod, answer) {}

func podStatusStrategy() strategy { return podregistry.StatusStrategy }
