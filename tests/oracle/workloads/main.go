// Workloads as the API server takes them: each line of the input is a JSON object of a kind with a pod
// spec, each line of the output says how it is decoded, strictly and not, and what validation says then.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // registers types, conversions and defaults
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

// strategy is the part of a registry strategy that judges a new object.
type strategy interface {
	PrepareForCreate(context.Context, runtime.Object)
	Validate(context.Context, runtime.Object) field.ErrorList
}

var strategies = map[string]strategy{
	"CronJob":               cronjob.Strategy,
	"DaemonSet":             daemonset.Strategy,
	"Deployment":            deployment.Strategy,
	"Job":                   job.Strategy,
	"PodTemplate":           podtemplate.Strategy,
	"ReplicaSet":            replicaset.Strategy,
	"ReplicationController": replicationcontroller.Strategy,
	"StatefulSet":           statefulset.Strategy,
}

type fieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

type answer struct {
	DecodeError string       `json:"decodeError,omitempty"`
	Strict      []string     `json:"strictErrors,omitempty"`
	Errors      []fieldError `json:"errors"`
}

func judge(data []byte) (said answer) {
	said.Errors = []fieldError{}
	serializer := kjson.NewSerializerWithOptions(
		kjson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, kjson.SerializerOptions{Strict: true})
	object, gvk, err := serializer.Decode(data, nil, nil)
	if err != nil {
		problems, isStrict := runtime.AsStrictDecodingError(err)
		if !isStrict || object == nil {
			said.DecodeError = err.Error()
			return said
		}
		for _, problem := range problems.Errors() {
			said.Strict = append(said.Strict, problem.Error())
		}
	}
	legacyscheme.Scheme.Default(object)
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, hub)
	if err != nil {
		said.DecodeError = err.Error()
		return said
	}
	accessor, _ := meta.Accessor(internal)
	accessor.SetNamespace("default")
	ctx := genericapirequest.WithRequestInfo(
		genericapirequest.WithNamespace(context.Background(), "default"),
		&genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version})
	for _, problem := range errorsOf(ctx, gvk.Kind, internal) {
		said.Errors = append(said.Errors, fieldError{string(problem.Type), problem.Field, problem.Detail})
	}
	return said
}

func errorsOf(ctx context.Context, kind string, object runtime.Object) field.ErrorList {
	if pod, ok := object.(*api.Pod); ok {
		podutil.DropDisabledPodFields(pod, nil)
		options := podutil.GetValidationOptionsFromPodSpecAndMeta(&pod.Spec, nil, &pod.ObjectMeta, nil)
		return validation.ValidatePodCreate(pod, options)
	}
	chosen := strategies[kind]
	chosen.PrepareForCreate(ctx, object)
	return chosen.Validate(ctx, object)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		if err := out.Encode(judge(lines.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
