//go:build k8s135

package main

import "k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"

func newerStrategyFor(kind, subresource string) strategy {
	if kind == "DeviceTaintRule" && subresource == "status" {
		return devicetaintrule.StatusStrategy
	}
	return nil
}
