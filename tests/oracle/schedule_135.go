//go:build k8s135

package main

import (
	"context"
	"encoding/json"

	resourcealpha "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func watchTaintRules(options *resourceslicetracker.Options, factory informers.SharedInformerFactory) {
	options.TaintInformer = factory.Resource().V1alpha3().DeviceTaintRules()
	options.ClassInformer = factory.Resource().V1().DeviceClasses()
}

func taintRule(raw json.RawMessage) (runtime.Object, error) {
	rule := &resourcealpha.DeviceTaintRule{}
	return rule, json.Unmarshal(raw, rule)
}

func frameworkOptions(context.Context) []frameworkruntime.Option { return nil }
