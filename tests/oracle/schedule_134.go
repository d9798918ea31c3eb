//go:build k8s134

package main

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	resourcealpha "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func trackerOptions(client kubernetes.Interface, factory informers.SharedInformerFactory) resourceslicetracker.Options {
	options := resourceslicetracker.Options{
		EnableDeviceTaints:       utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaints),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            factory.Resource().V1().ResourceSlices(),
		KubeClient:               client,
	}
	if options.EnableDeviceTaints {
		options.TaintInformer = factory.Resource().V1alpha3().DeviceTaintRules()
		options.ClassInformer = factory.Resource().V1().DeviceClasses()
	}
	return options
}

func taintRule(raw json.RawMessage) (runtime.Object, error) {
	rule := &resourcealpha.DeviceTaintRule{}
	return rule, json.Unmarshal(raw, rule)
}

func frameworkOptions(context.Context) []frameworkruntime.Option { return nil }

// classResolver: this release keeps no cache of extended resources.
func classResolver(*dynamicresources.DefaultDRAManager) cache.ResourceEventHandler { return nil }

// score: the plugin of this release does not score.
func score(context.Context, *dynamicresources.DynamicResources, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status, bool) {
	return 0, nil, false
}
