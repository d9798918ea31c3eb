// Whole workloads as the registry of the API server creates them: each line of the input is a JSON object of a kind
// with pods, each line of the output says what decoding and validation reject.
//
// An object is decoded strictly, defaulted, converted and put through the strategy of its kind, all with the default
// gates of the release. What strict decoding rejects does not keep the rest from being validated here; in the API
// server it does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/capabilities"
	_ "k8s.io/kubernetes/pkg/features" // the gates
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

type fieldError struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type answer struct {
	DecodeError string       `json:"decodeError,omitempty"`
	Strict      []string     `json:"strictErrors,omitempty"`
	Errors      []fieldError `json:"errors,omitempty"`
}

var strategies = map[string]rest.RESTCreateStrategy{
	"Pod": pod.Strategy, "PodTemplate": podtemplate.Strategy,
	"ReplicationController": replicationcontroller.Strategy, "DaemonSet": daemonset.Strategy,
	"Deployment": deployment.Strategy, "ReplicaSet": replicaset.Strategy, "StatefulSet": statefulset.Strategy,
	"Job": job.Strategy, "CronJob": cronjob.Strategy,
}

func main() {
	// As clusters are set up; the other way no pod could be privileged.
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		said, err := ask(lines.Bytes())
		if err == nil {
			err = out.Encode(said)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func ask(line []byte) (answer, error) {
	said := answer{}
	serializer := kjson.NewSerializerWithOptions(
		kjson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, kjson.SerializerOptions{Strict: true})
	object, gvk, err := serializer.Decode(line, nil, nil)
	if problems, isStrict := runtime.AsStrictDecodingError(err); isStrict && object != nil {
		for _, problem := range problems.Errors() {
			said.Strict = append(said.Strict, problem.Error())
		}
	} else if err != nil {
		said.DecodeError = err.Error()
		return said, nil
	}
	legacyscheme.Scheme.Default(object)
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, hub)
	if err != nil {
		said.DecodeError = err.Error()
		return said, nil
	}
	said.Errors, err = created(internal, gvk)
	return said, err
}

// created is what the registry says of a new object.
func created(object runtime.Object, gvk *schema.GroupVersionKind) ([]fieldError, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if accessor.GetNamespace() == "" {
		accessor.SetNamespace("default")
	}
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(accessor.GetGenerateName() + "12345")
	}
	rest.FillObjectMetaSystemFields(accessor)
	ctx := genericapirequest.WithNamespace(context.Background(), accessor.GetNamespace())
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "oracle"})
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version,
		Resource: strings.ToLower(gvk.Kind) + "s", Namespace: accessor.GetNamespace(),
	})
	failure := rest.BeforeCreate(strategies[gvk.Kind], ctx, object)
	if failure == nil {
		return nil, nil
	}
	var status apierrors.APIStatus
	if !errors.As(failure, &status) || status.Status().Details == nil {
		return []fieldError{{Type: string(apierrors.ReasonForError(failure)), Message: failure.Error()}}, nil
	}
	found := []fieldError{}
	for _, cause := range status.Status().Details.Causes {
		found = append(found, fieldError{string(cause.Type), cause.Field, cause.Message})
	}
	if len(found) == 0 {
		found = append(found, fieldError{Type: string(apierrors.ReasonForError(failure)), Message: failure.Error()})
	}
	return found, nil
}
