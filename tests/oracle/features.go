package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates of Kubernetes
)

// gateDefaults holds every gate of this release with its state before any override.
var gateDefaults = readGateDefaults()

func readGateDefaults() map[featuregate.Feature]bool {
	defaults := map[featuregate.Feature]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		defaults[name] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return defaults
}

// gates works out which DRA gates a question wants on. Locked gates keep their state
// with "all" and "none"; naming one with the other state is an error.
func (q *question) gates() (map[featuregate.Feature]bool, error) {
	wanted := map[featuregate.Feature]bool{}
	specs := utilfeature.DefaultMutableFeatureGate.GetAll()
	var word string
	if len(q.Features) == 0 || string(q.Features) == "null" {
		word = "defaults"
	} else if q.Features[0] == '"' {
		if err := json.Unmarshal(q.Features, &word); err != nil {
			return nil, err
		}
	}
	for name, on := range gateDefaults {
		wanted[name] = on
		if spec := specs[name]; isDRA(name) && !spec.LockToDefault {
			switch word {
			case "all":
				wanted[name] = true
			case "none":
				wanted[name] = false
			}
		}
	}
	switch word {
	case "", "defaults", "all", "none":
	default:
		return nil, fmt.Errorf("features: unknown word %q", word)
	}
	if word != "" {
		return wanted, nil
	}
	overrides := map[string]bool{}
	if err := json.Unmarshal(q.Features, &overrides); err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	names := make([]string, 0, len(overrides))
	for name := range overrides {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, gate := range gatesCalled(name) {
			if _, known := gateDefaults[gate]; known {
				wanted[gate] = overrides[name]
			}
			// A gate that this release does not have is off, whatever is asked: the same
			// question can then be put to all releases.
		}
	}
	return wanted, nil
}

// gatesCalled resolves a name with or without "DRA", and the names of the allocator's own flags.
func gatesCalled(name string) []featuregate.Feature {
	switch name {
	case "DeviceBindingAndStatus":
		return []featuregate.Feature{"DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"}
	case "DeviceBinding":
		return []featuregate.Feature{"DRADeviceBindingConditions"}
	case "DeviceStatus":
		return []featuregate.Feature{"DRAResourceClaimDeviceStatus"}
	case "CompatibilityGroups":
		return []featuregate.Feature{"DRADeviceCompatibilityGroups"}
	}
	if _, known := gateDefaults[featuregate.Feature(name)]; known || strings.HasPrefix(name, "DRA") {
		return []featuregate.Feature{featuregate.Feature(name)}
	}
	return []featuregate.Feature{featuregate.Feature("DRA" + name)}
}

// isDRA tells what "all" and "none" touch. Claims of workloads need a gate of another feature as well.
func isDRA(name featuregate.Feature) bool {
	return strings.HasPrefix(string(name), "DRA") && name != "DRAWorkloadResourceClaims"
}

// applied remembers the overrides that are set now, to touch the global gates only on a change.
var applied string

// applyGates sets the process-wide gates as a question wants them.
func (q *question) applyGates() error {
	wanted, err := q.gates()
	if err != nil {
		return err
	}
	changes := map[string]bool{}
	for name, on := range wanted {
		if utilfeature.DefaultFeatureGate.Enabled(name) != on {
			changes[string(name)] = on
		}
	}
	if len(changes) == 0 {
		return nil
	}
	err = utilfeature.DefaultMutableFeatureGate.SetFromMap(changes)
	if err != nil {
		// Gates that need others are refused together but remembered: the next question must not
		// find them.
		for name, on := range changes {
			changes[name] = !on
		}
		if undone := utilfeature.DefaultMutableFeatureGate.SetFromMap(changes); undone != nil {
			return fmt.Errorf("%w (and not undone: %w)", err, undone)
		}
	}
	return err
}
