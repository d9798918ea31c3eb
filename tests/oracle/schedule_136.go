//go:build k8s136

package main

import (
	"context"
	"encoding/json"

	resourcebeta "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func watchTaintRules(options *resourceslicetracker.Options, factory informers.SharedInformerFactory) {
	options.TaintInformer = factory.Resource().V1beta2().DeviceTaintRules()
	options.ClassInformer = factory.Resource().V1().DeviceClasses()
}

func taintRule(raw json.RawMessage) (runtime.Object, error) {
	rule := &resourcebeta.DeviceTaintRule{}
	return rule, json.Unmarshal(raw, rule)
}

func frameworkOptions(ctx context.Context) []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithPodGroupManager(internalcache.New(ctx, nil, false)),
	}
}
