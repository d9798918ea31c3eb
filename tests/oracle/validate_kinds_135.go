//go:build k8s135

package main

import (
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
)

func newerStrategyFor(kind, subresource string) strategy {
	switch kind + "/" + subresource {
	case "DeviceTaintRule/status":
		return devicetaintrule.StatusStrategy
	case "Workload/":
		return workload.Strategy // its groups of pods have no claims yet
	}
	return nil
}
