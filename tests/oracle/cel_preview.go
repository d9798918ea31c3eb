//go:build preview

// A pre-release of which only the staging modules are published: of CEL there are the libraries of the
// API server, which policies use, but not the environment of devices.
package main

import "encoding/json"

func init() { subjects["cel"] = askCEL }

type celQuestion struct {
	Expression string            `json:"expression"`
	Env        string            `json:"env"`
	Objects    []json.RawMessage `json:"objects"`
	Message    bool              `json:"message"`
	Stored     bool              `json:"stored"`
}

func askCEL(q *question) ([]answer, error) {
	var in celQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if in.Env != "admission" {
		return []answer{{"error": "selectors of devices are not known for this pre-release yet", "errorKind": "input"}}, nil
	}
	return askAdmission(in), nil
}
