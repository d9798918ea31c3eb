//go:build !k8s134 && !k8s135

package main

import (
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
)

func newerStrategyFor(kind, subresource string) strategy {
	switch kind + "/" + subresource {
	case "DeviceTaintRule/status":
		return devicetaintrule.StatusStrategy
	case "ResourcePoolStatusRequest/":
		return resourcepoolstatusrequest.Strategy
	case "ResourcePoolStatusRequest/status":
		return resourcepoolstatusrequest.StatusStrategy
	}
	return nil
}
