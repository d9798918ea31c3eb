// Answers what Kustomize reads in a kustomization: lines of JSON in, lines of JSON out.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/api/types"
)

type question struct {
	// The bytes of the file, in base64.
	Data string `json:"data"`
}

type answer struct {
	Kustomization *types.Kustomization `json:"kustomization,omitempty"`
	Error         string               `json:"error,omitempty"`
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint(r)}
		}
	}()
	data, err := base64.StdEncoding.DecodeString(q.Data)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var k types.Kustomization
	if err := k.Unmarshal(data); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Kustomization: &k}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(ask(q)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
