//go:build !k8s134 && !k8s135

package main

import (
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
)

func newerStrategyFor(kind, subresource string) strategy {
	switch kind + "/" + subresource {
	case "DeviceTaintRule/status":
		return devicetaintrule.StatusStrategy
	case "PodGroup/":
		return podgroup.NewStrategy()
	case "PodGroup/status":
		return podgroup.NewStatusStrategy(podgroup.NewStrategy())
	case "ResourcePoolStatusRequest/":
		return resourcepoolstatusrequest.Strategy
	case "ResourcePoolStatusRequest/status":
		return resourcepoolstatusrequest.StatusStrategy
	case "Workload/":
		return workload.Strategy
	}
	return nil
}
