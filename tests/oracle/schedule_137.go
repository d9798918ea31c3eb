//go:build k8s137

package main

import (
	"context"
	"encoding/json"

	resourcenow "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func watchTaintRules(options *resourceslicetracker.Options, factory informers.SharedInformerFactory) {
	options.TaintInformer = factory.Resource().V1().DeviceTaintRules()
}

func taintRule(raw json.RawMessage) (runtime.Object, error) {
	rule := &resourcenow.DeviceTaintRule{}
	return rule, json.Unmarshal(raw, rule)
}

func frameworkOptions(ctx context.Context) []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithPodGroupManager(internalcache.New(ctx, nil, false, false)),
		frameworkruntime.WithSnapshotSharedLister(internalcache.NewEmptySnapshot()),
	}
}
