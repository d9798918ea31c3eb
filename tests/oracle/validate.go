package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // registers core types, conversions and defaults
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install" // PodGroups and Workloads, which have claims
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

func init() {
	subjects["validate"] = askValidate
	subjects["pod"] = askValidate
}

var allowAll = authorizerfactory.NewAlwaysAllowAuthorizer()

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

type validateQuestion struct {
	Object          json.RawMessage   `json:"object"`
	YAML            string            `json:"yaml"`
	Old             json.RawMessage   `json:"old"`
	Subresource     string            `json:"subresource"`
	NamespaceLabels map[string]string `json:"namespaceLabels"`
}

// warnings collects what the strategy tells the client.
type warnings []string

func (w *warnings) AddWarning(_, text string) { *w = append(*w, text) }

type fieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

func askValidate(q *question) ([]answer, error) {
	var in validateQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if err := q.applyGates(); err != nil {
		return nil, err
	}
	data, isYAML := []byte(in.Object), false
	if len(data) == 0 {
		data, isYAML = []byte(in.YAML), true
	}
	reply := answer{}
	object, gvk, strict, err := decode(data, isYAML, q.Default)
	if gvk != nil {
		reply["kind"] = gvk.Kind
	}
	if len(strict) > 0 {
		reply["strictErrors"] = strict
	}
	if err != nil {
		reply["decodeError"], reply["errors"] = err.Error(), []fieldError{}
		return []answer{reply}, nil
	}
	var old runtime.Object
	if len(in.Old) > 0 && string(in.Old) != "null" {
		if old, _, _, err = decode(in.Old, false, q.Default); err != nil {
			return nil, fmt.Errorf("old: %w", err)
		}
	}
	errs, said, err := admit(object, old, gvk, &in)
	if err != nil {
		return nil, err
	}
	if len(said) > 0 {
		reply["warnings"] = said
	}
	reply["errors"] = errs
	if len(errs) == 0 {
		shown, err := written(object, gvk.GroupVersion())
		if err != nil {
			return nil, err
		}
		reply["object"] = shown
	}
	return []answer{reply}, nil
}

// decode reads an object as the API server reads a request body with strict field validation.
func decode(data []byte, isYAML, defaulted bool) (runtime.Object, *schema.GroupVersionKind, []string, error) {
	serializer := kjson.NewSerializerWithOptions(
		kjson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, kjson.SerializerOptions{Yaml: isYAML, Strict: true})
	object, gvk, err := serializer.Decode(data, nil, nil)
	var strict []string
	if err != nil {
		problems, isStrict := runtime.AsStrictDecodingError(err)
		if !isStrict || object == nil {
			return nil, gvk, nil, err
		}
		for _, problem := range problems.Errors() {
			strict = append(strict, problem.Error())
		}
	}
	if defaulted {
		legacyscheme.Scheme.Default(object)
	}
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, hub)
	return internal, gvk, strict, err
}

// admit runs the registry strategy of the object as the generic store does.
func admit(object, old runtime.Object, gvk *schema.GroupVersionKind, in *validateQuestion) ([]fieldError, []string, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := strategyFor(gvk.Kind, in.Subresource, namespaces(accessor.GetNamespace(), in.NamespaceLabels))
	if err != nil {
		return nil, nil, err
	}
	if chosen.NamespaceScoped() && accessor.GetNamespace() == "" {
		accessor.SetNamespace("default")
	}
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(accessor.GetGenerateName() + "12345")
	}
	said := &warnings{}
	ctx := requestContext(accessor.GetNamespace(), gvk, in.Subresource)
	ctx = warning.WithWarningRecorder(ctx, said)
	var failure error
	var raw field.ErrorList
	if old == nil {
		rest.FillObjectMetaSystemFields(accessor)
		copied := object.DeepCopyObject()
		failure = rest.BeforeCreate(chosen, ctx, object)
		chosen.PrepareForCreate(ctx, copied)
		raw = createErrors(ctx, chosen, copied)
	} else {
		matchStored(chosen, accessor, old, ctx)
		copied, oldCopied := object.DeepCopyObject(), old.DeepCopyObject()
		failure = rest.BeforeUpdate(chosen, ctx, object, old)
		prepareUpdate(ctx, chosen, copied, oldCopied)
		raw = updateErrors(ctx, chosen, copied, oldCopied)
	}
	errs, err := explain(failure, raw)
	return errs, *said, err
}

func requestContext(namespace string, gvk *schema.GroupVersionKind, subresource string) context.Context {
	resource := strings.ToLower(gvk.Kind) + "s"
	if strings.HasSuffix(resource, "sss") {
		resource = strings.TrimSuffix(resource, "s") + "es"
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "oracle"})
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version,
		Resource: resource, Subresource: subresource, Namespace: namespace,
	})
}

// matchStored fills what the generic store fills in an update before validation.
func matchStored(chosen strategy, accessor metav1.Object, old runtime.Object, ctx context.Context) {
	stored, err := meta.Accessor(old)
	if err != nil {
		return
	}
	if chosen.NamespaceScoped() && stored.GetNamespace() == "" {
		stored.SetNamespace("default")
	}
	if stored.GetUID() == "" {
		stored.SetUID("00000000-0000-0000-0000-000000000001")
	}
	if stored.GetResourceVersion() == "" {
		stored.SetResourceVersion("1")
	}
	if accessor.GetResourceVersion() == "" && allowsUnconditionalUpdate(ctx, chosen) {
		accessor.SetResourceVersion(stored.GetResourceVersion())
	}
}

// prepareUpdate repeats the steps of BeforeUpdate that change the object, to see the raw errors.
func prepareUpdate(ctx context.Context, chosen strategy, object, old runtime.Object) {
	accessor, _ := meta.Accessor(object)
	stored, _ := meta.Accessor(old)
	accessor.SetGeneration(stored.GetGeneration())
	chosen.PrepareForUpdate(ctx, object, old)
	if accessor.GetUID() == "" {
		accessor.SetUID(stored.GetUID())
	}
	if created := stored.GetCreationTimestamp(); !created.IsZero() {
		accessor.SetCreationTimestamp(created)
	}
	if !stored.GetDeletionTimestamp().IsZero() {
		accessor.SetDeletionTimestamp(stored.GetDeletionTimestamp())
	}
}

// explain turns the answer of the server into type, field and detail. The causes of the status are
// the truth; the raw errors only tell where in a cause's message the detail starts.
func explain(failure error, raw field.ErrorList) ([]fieldError, error) {
	if failure == nil {
		return []fieldError{}, nil
	}
	status, isStatus := failure.(apierrors.APIStatus)
	if !isStatus || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []fieldError{{Type: string(apierrors.ReasonForError(failure)), Detail: failure.Error()}}, nil
	}
	errs := []fieldError{}
	for _, cause := range status.Status().Details.Causes {
		detail, found := cause.Message, false
		for _, candidate := range raw {
			if candidate.Field == cause.Field && candidate.ErrorBody() == cause.Message {
				detail, found = candidate.Detail, true
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("no raw error for %s: %s", cause.Field, cause.Message)
		}
		errs = append(errs, fieldError{Type: string(cause.Type), Field: cause.Field, Detail: detail})
	}
	return errs, nil
}

// written shows the object as the client would read it back, without what differs from run to run.
func written(object runtime.Object, gv schema.GroupVersion) (any, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(object, gv)
	if err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
	if err != nil {
		return nil, err
	}
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		delete(metadata, "uid")
		delete(metadata, "creationTimestamp")
		delete(metadata, "resourceVersion")
	}
	if status, ok := fields["status"].(map[string]any); ok && len(status) == 0 {
		delete(fields, "status")
	}
	dropFreshTimes(fields)
	return fields, nil
}

// dropFreshTimes removes times that were filled in just now.
func dropFreshTimes(value any) {
	switch value := value.(type) {
	case map[string]any:
		if text, ok := value["timeAdded"].(string); ok {
			if added, err := time.Parse(time.RFC3339, text); err == nil && time.Since(added).Abs() < time.Hour {
				delete(value, "timeAdded")
			}
		}
		for _, item := range value {
			dropFreshTimes(item)
		}
	case []any:
		for _, item := range value {
			dropFreshTimes(item)
		}
	}
}

func namespaces(name string, labels map[string]string) typedcorev1.NamespaceInterface {
	if name == "" {
		name = "default"
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	return fake.NewSimpleClientset(namespace).CoreV1().Namespaces()
}

func strategyFor(kind, subresource string, client typedcorev1.NamespaceInterface) (strategy, error) {
	switch kind + "/" + subresource {
	case "DeviceClass/":
		return deviceclass.Strategy, nil
	case "ResourceClaim/":
		return claimStrategy(client), nil
	case "ResourceClaim/status":
		return claimStatusStrategy(client), nil
	case "ResourceClaimTemplate/":
		return resourceclaimtemplate.NewStrategy(client), nil
	case "ResourceSlice/":
		return resourceslice.Strategy, nil
	case "DeviceTaintRule/":
		return devicetaintrule.Strategy, nil
	case "Pod/":
		return pod.Strategy, nil
	}
	if found := newerStrategyFor(kind, subresource); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("no strategy for %s %s", kind, subresource)
}
