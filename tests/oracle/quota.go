package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
)

func init() { subjects["quota"] = askQuota }

type quotaQuestion struct {
	Classes []*resourceapi.DeviceClass `json:"classes"`
	Quotas  []corev1.ResourceQuota     `json:"quotas"`
	Objects []json.RawMessage          `json:"objects"`
}

// stored is what the evaluator of claims sees of the namespace.
type stored struct {
	pods   cache.Indexer
	claims []*resourceapi.ResourceClaim
}

// askQuota creates the objects one after the other, as the admission plugin for quotas lets them.
func askQuota(q *question) ([]answer, error) {
	var in quotaQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if err := q.applyGates(); err != nil {
		return nil, err
	}
	quotas := make([]corev1.ResourceQuota, len(in.Quotas))
	for i := range in.Quotas {
		quotas[i] = *in.Quotas[i].DeepCopy()
		quotas[i].Status.Hard, quotas[i].Status.Used = quotas[i].Spec.Hard, corev1.ResourceList{}
		for name := range quotas[i].Spec.Hard {
			quotas[i].Status.Used[name] = resource.MustParse("0")
		}
	}
	store := &stored{pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	list := func(schema.GroupVersionResource) (cache.GenericLister, error) {
		return nil, fmt.Errorf("nothing is listed")
	}
	evaluators := map[string]quota.Evaluator{
		"Pod":           core.NewPodEvaluator(list, clock.RealClock{}),
		"ResourceClaim": claimEvaluator(list, in.Classes, store),
	}
	replies := []answer{}
	for _, raw := range in.Objects {
		object, gvk, _, err := decode(raw, false, q.Default)
		if err != nil {
			return nil, err
		}
		evaluator := evaluators[gvk.Kind]
		if evaluator == nil {
			return nil, fmt.Errorf("no evaluator for %s", gvk.Kind)
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		if accessor.GetNamespace() == "" {
			accessor.SetNamespace("default")
		}
		usage, err := evaluator.Usage(object)
		if err != nil {
			return nil, err
		}
		reply := answer{"usage": devicesOf(usage)}
		plural := gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
		attributes := admission.NewAttributesRecord(object, nil, *gvk, accessor.GetNamespace(), accessor.GetName(),
			plural, "", admission.Create, &metav1.CreateOptions{}, false, nil)
		after, err := resourcequota.CheckRequest(quotas, attributes, evaluator, nil)
		if err != nil {
			if !apierrors.IsForbidden(err) {
				return nil, err
			}
			reply["refused"] = err.Error()
		} else {
			quotas = after
			if err := store.add(object); err != nil {
				return nil, err
			}
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

// devicesOf leaves out what a pod uses but for extended resources.
func devicesOf(usage corev1.ResourceList) map[string]string {
	shown := map[string]string{}
	for name, amount := range usage {
		if strings.HasSuffix(string(name), corev1.ResourceClaimsPerClass) || name == core.ClaimObjectCountName ||
			strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) && strings.Contains(string(name), "/") {
			shown[string(name)] = amount.String()
		}
	}
	return shown
}

func (s *stored) add(object runtime.Object) error {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersions{
		corev1.SchemeGroupVersion, resourceapi.SchemeGroupVersion})
	if err != nil {
		return err
	}
	switch versioned := versioned.(type) {
	case *corev1.Pod:
		return s.pods.Add(versioned)
	case *resourceapi.ResourceClaim:
		s.claims = append(s.claims, versioned)
	}
	return nil
}
