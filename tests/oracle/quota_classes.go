//go:build !k8s134

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/klog/v2"
)

// extendedResources knows which class stands for which extended resource.
func extendedResources(classes []*resourceapi.DeviceClass) *extendedresourcecache.ExtendedResourceCache {
	found := extendedresourcecache.NewExtendedResourceCache(klog.Background())
	for _, class := range classes {
		found.OnAdd(class, true)
	}
	return found
}
