package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-base/featuregate"
	dracel "k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

func init() { subjects["alloc"] = askAlloc }

// sameShareID replaces random share IDs where a question asks for it.
const sameShareID = types.UID("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")

// defaultTimeout is the scheduler's own limit for the Filter of one node.
const defaultTimeout = 10 * time.Second

type deviceRef struct {
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	ShareID string `json:"shareID"`

	Consumed map[resourceapi.QualifiedName]resource.Quantity `json:"consumed"`
}

func (d deviceRef) id() structured.DeviceID {
	return structured.MakeDeviceID(d.Driver, d.Pool, d.Device)
}

type allocQuestion struct {
	Impl             string                       `json:"impl"`
	FixShareID       bool                         `json:"fixShareID"`
	TimeoutMS        int                          `json:"timeoutMS"`
	Stats            bool                         `json:"stats"`
	Classes          []*resourceapi.DeviceClass   `json:"classes"`
	Claims           []*resourceapi.ResourceClaim `json:"claims"`
	Nodes            []*v1.Node                   `json:"nodes"`
	Slices           []*resourceapi.ResourceSlice `json:"slices"`
	Allocated        []deviceRef                  `json:"allocated"`
	AllocatedShared  []deviceRef                  `json:"allocatedShared"`
	ConsumedCapacity []deviceRef                  `json:"consumedCapacity"`
	AllocatedClaims  []*resourceapi.ResourceClaim `json:"allocatedClaims"`
}

// classLister hands the classes of a question to the allocator.
type classLister []*resourceapi.DeviceClass

func (l classLister) List() ([]*resourceapi.DeviceClass, error) { return l, nil }

func (l classLister) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range l {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("deviceclass.resource.k8s.io %q not found", name)
}

func askAlloc(q *question) ([]answer, error) {
	var in allocQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	wanted, err := q.gates()
	if err != nil {
		return nil, err
	}
	if q.Default {
		applyDefaults(&in)
	}
	features := structured.Features{}
	setFlags(&features, "", wanted)
	if err := chooseImplementation(in.Impl); err != nil {
		return nil, err
	}
	celFeatures := dracel.Features{}
	setFlags(&celFeatures, "Enable", wanted)
	ctx := context.Background()
	allocator, err := structured.NewAllocator(
		ctx, features, allocatedState(&in, wanted), classLister(in.Classes), in.Slices, dracel.NewCache(10, celFeatures))
	if err != nil {
		return nil, err
	}
	replies := make([]answer, 0, len(in.Nodes))
	for _, node := range in.Nodes {
		replies = append(replies, allocateOn(ctx, allocator, node, &in))
	}
	return replies, nil
}

func allocateOn(ctx context.Context, allocator structured.Allocator, node *v1.Node, in *allocQuestion) (reply answer) {
	reply = answer{"node": node.Name, "allocations": nil}
	defer func() {
		if crash := recover(); crash != nil {
			traceCrash()
			reply["error"], reply["errorKind"] = fmt.Sprintf("panic: %v", crash), "crash"
		}
	}()
	timeout := defaultTimeout
	if in.TimeoutMS > 0 {
		timeout = time.Duration(in.TimeoutMS) * time.Millisecond
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	before := int64(0)
	if in.Stats {
		before = steps(allocator)
	}
	start := time.Now()
	results, err := allocator.Allocate(limited, node, in.Claims)
	if in.Stats {
		reply["seconds"] = time.Since(start).Seconds()
		if after := steps(allocator); after >= 0 {
			reply["steps"] = after - before
		}
	}
	switch {
	case err != nil && limited.Err() != nil:
		reply["error"], reply["errorKind"] = err.Error(), "timeout"
	case err != nil && onlyThisNode(err):
		reply["error"], reply["errorKind"] = err.Error(), "node"
	case err != nil:
		reply["error"], reply["errorKind"] = err.Error(), "fatal"
	case results != nil:
		if in.FixShareID {
			for i := range results {
				for j := range results[i].Devices.Results {
					if results[i].Devices.Results[j].ShareID != nil {
						id := sameShareID
						results[i].Devices.Results[j].ShareID = &id
					}
				}
			}
		}
		reply["allocations"] = results
	}
	return reply
}

// steps reads how often the search has been entered so far; -1 where this release does not tell.
func steps(allocator structured.Allocator) int64 {
	method := reflect.ValueOf(allocator).MethodByName("GetStats")
	if !method.IsValid() {
		return -1
	}
	stats := method.Call(nil)[0]
	if stats.Kind() == reflect.Interface {
		stats = stats.Elem()
	}
	stats = reflect.Indirect(stats)
	if !stats.IsValid() {
		return -1
	}
	field := stats.FieldByName("NumAllocateOneInvocations")
	if !field.IsValid() {
		return -1
	}
	return field.Int()
}

func allocatedState(in *allocQuestion, wanted map[featuregate.Feature]bool) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, device := range in.Allocated {
		state.AllocatedDevices.Insert(device.id())
	}
	for _, device := range in.AllocatedShared {
		share := types.UID(device.ShareID)
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device.id(), &share))
	}
	for _, device := range in.ConsumedCapacity {
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device.id(), device.Consumed))
	}
	for _, claim := range in.AllocatedClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if result.ShareID == nil || !wanted["DRAConsumableCapacity"] {
				state.AllocatedDevices.Insert(device)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
			}
		}
	}
	return state
}

// applyDefaults fills what the API server fills in requests: mode and count.
func applyDefaults(in *allocQuestion) {
	fill := func(mode *resourceapi.DeviceAllocationMode, count *int64) {
		if *mode == "" {
			*mode = resourceapi.DeviceAllocationModeExactCount
		}
		if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
	}
	tolerate := func(tolerations []resourceapi.DeviceToleration) {
		for i := range tolerations {
			if tolerations[i].Operator == "" {
				tolerations[i].Operator = resourceapi.DeviceTolerationOpEqual
			}
		}
	}
	for _, claim := range in.Claims {
		for i := range claim.Spec.Devices.Requests {
			request := &claim.Spec.Devices.Requests[i]
			if exactly := request.Exactly; exactly != nil {
				fill(&exactly.AllocationMode, &exactly.Count)
				tolerate(exactly.Tolerations)
			}
			for j := range request.FirstAvailable {
				fill(&request.FirstAvailable[j].AllocationMode, &request.FirstAvailable[j].Count)
				tolerate(request.FirstAvailable[j].Tolerations)
			}
		}
	}
}

// sortedNames returns the keys of a map in order.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

var errNoSuchVariant = errors.New("impl: this release cannot be told which variant to use")
