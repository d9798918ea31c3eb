//go:build !k8s134

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
)

func trackerOptions(client kubernetes.Interface, factory informers.SharedInformerFactory) resourceslicetracker.Options {
	options := resourceslicetracker.Options{
		EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            factory.Resource().V1().ResourceSlices(),
		KubeClient:               client,
	}
	if options.EnableDeviceTaintRules {
		watchTaintRules(&options, factory)
	}
	return options
}

func classResolver(manager *dynamicresources.DefaultDRAManager) cache.ResourceEventHandler {
	if !utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		return nil
	}
	return manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
}

func score(
	ctx context.Context, plugin *dynamicresources.DynamicResources, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
) (int64, *fwk.Status, bool) {
	points, status := plugin.Score(ctx, state, pod, node)
	return points, status, true
}
