// Answers what Flux makes of the values of a HelmRelease: lines of JSON in, lines of JSON out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/chartutil"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

type object struct {
	Kind string            `json:"kind"`
	Name string            `json:"name"`
	Data map[string]string `json:"data"`
}

type question struct {
	Values     map[string]interface{} `json:"values"`
	References []meta.ValuesReference `json:"references"`
	Objects    []object               `json:"objects"`
}

type answer struct {
	Values map[string]interface{} `json:"values,omitempty"`
	Error  string                 `json:"error,omitempty"`
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint(r)}
		}
	}()
	var objects []client.Object
	for _, o := range q.Objects {
		m := metav1.ObjectMeta{Name: o.Name, Namespace: "n"}
		if o.Kind == "Secret" {
			data := map[string][]byte{}
			for k, v := range o.Data {
				data[k] = []byte(v)
			}
			objects = append(objects, &corev1.Secret{ObjectMeta: m, Data: data})
		} else {
			objects = append(objects, &corev1.ConfigMap{ObjectMeta: m, Data: o.Data})
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).Build()
	values, err := chartutil.ChartValuesFromReferences(context.Background(), logr.Discard(), c, "n", q.Values, q.References...)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Values: values}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(ask(q)); err != nil {
			panic(err)
		}
	}
}
