// Workloads as the decoder of the API server reads them: each line of the input is a JSON object of a kind
// with pods, each line of the output says what strict decoding rejects, and whether it can be read at all.
//
// With the argument `types` it writes the Go types of these kinds instead.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

type answer struct {
	DecodeError string   `json:"decodeError,omitempty"`
	Strict      []string `json:"strictErrors,omitempty"`
}

var kinds = []runtime.Object{
	&corev1.Pod{}, &corev1.PodTemplate{}, &corev1.ReplicationController{}, &appsv1.DaemonSet{},
	&appsv1.Deployment{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &batchv1.Job{}, &batchv1.CronJob{},
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "types" {
		writeTypes(kinds)
		return
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme} {
		utilruntime.Must(add(scheme))
	}
	serializer := kjson.NewSerializerWithOptions(
		kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{Strict: true})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		said := answer{}
		object, _, err := serializer.Decode(lines.Bytes(), nil, nil)
		if problems, isStrict := runtime.AsStrictDecodingError(err); isStrict && object != nil {
			for _, problem := range problems.Errors() {
				said.Strict = append(said.Strict, problem.Error())
			}
		} else if err != nil {
			said.DecodeError = err.Error()
		}
		if err := out.Encode(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
