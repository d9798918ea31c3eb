package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
	"sigs.k8s.io/yaml"
)

func init() {
	subjects["quantity"] = askQuantity
	subjects["semver"] = askSemver
	subjects["yaml"] = askYAML
}

type pair struct {
	A         *string `json:"a"`
	B         *string `json:"b"`
	Normalize bool    `json:"normalize"`
}

type quantityReply struct {
	Canonical *string  `json:"canonical"`
	Error     *string  `json:"error"`
	Sign      *int     `json:"sign,omitempty"`
	Format    string   `json:"format,omitempty"`
	IsInteger *bool    `json:"isInteger,omitempty"`
	AsInteger *int64   `json:"asInteger,omitempty"`
	Value     *int64   `json:"value,omitempty"`
	Milli     *int64   `json:"milliValue,omitempty"`
	Float     *float64 `json:"asApproximateFloat,omitempty"`
}

func describeQuantity(text string) (quantityReply, *resource.Quantity) {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		message := err.Error()
		return quantityReply{Error: &message}, nil
	}
	integer, isInteger := q.AsInt64()
	reply := quantityReply{Format: string(q.Format), IsInteger: &isInteger}
	if isInteger {
		reply.AsInteger = &integer
	}
	sign, value, milli, float := q.Sign(), q.Value(), q.MilliValue(), q.AsApproximateFloat64()
	reply.Sign, reply.Value, reply.Milli = &sign, &value, &milli
	if !math.IsInf(float, 0) && !math.IsNaN(float) { // JSON has no word for those
		reply.Float = &float
	}
	canonical := q.String()
	reply.Canonical = &canonical
	fresh := resource.MustParse(text) // String caches; keep the operand as parsed
	return reply, &fresh
}

func askQuantity(q *question) ([]answer, error) {
	var in pair
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if in.A == nil {
		return nil, fmt.Errorf("a: missing")
	}
	first, a := describeQuantity(*in.A)
	reply := answer{"a": first}
	if in.B != nil {
		second, b := describeQuantity(*in.B)
		reply["b"] = second
		if a != nil && b != nil {
			reply["cmp"] = a.Cmp(*b)
			reply["equal"] = a.Equal(*b)
			sum, difference := a.DeepCopy(), a.DeepCopy()
			sum.Add(*b)
			difference.Sub(*b)
			reply["add"], reply["sub"] = sum.String(), difference.String()
		}
	}
	return []answer{reply}, nil
}

func describeSemver(text string, normalize bool) (answer, *semver.Version) {
	v, err := parseSemver(text, normalize)
	if err != nil {
		return answer{"canonical": nil, "error": err.Error()}, nil
	}
	return answer{"canonical": v.String(), "error": nil, "major": v.Major, "minor": v.Minor, "patch": v.Patch}, v
}

// parseSemver goes through the CEL function, because only that one normalises.
func parseSemver(text string, normalize bool) (*semver.Version, error) {
	if !normalize {
		v, err := semver.Parse(text)
		return &v, err
	}
	env, err := cel.NewEnv(library.SemverLib(library.SemverVersion(1)))
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(`semver(text, true)`)
	if issues != nil {
		env, err = env.Extend(cel.Variable("text", cel.StringType))
		if err != nil {
			return nil, err
		}
		if ast, issues = env.Compile(`semver(text, true)`); issues != nil {
			return nil, issues.Err()
		}
	}
	program, err := env.Program(ast)
	if err != nil {
		return nil, err
	}
	value, _, err := program.Eval(map[string]any{"text": types.String(text)})
	if err != nil {
		return nil, err
	}
	v := value.(apiservercel.Semver).Version
	return &v, nil
}

func askSemver(q *question) ([]answer, error) {
	var in pair
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if in.A == nil {
		return nil, fmt.Errorf("a: missing")
	}
	first, a := describeSemver(*in.A, in.Normalize)
	reply := answer{"a": first}
	if in.B != nil {
		second, b := describeSemver(*in.B, in.Normalize)
		reply["b"] = second
		if a != nil && b != nil {
			reply["cmp"] = a.Compare(*b)
		}
	}
	return []answer{reply}, nil
}

func askYAML(q *question) ([]answer, error) {
	var in struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	converted, err := yaml.YAMLToJSON([]byte(in.Text))
	if err != nil {
		return []answer{{"value": nil, "error": err.Error()}}, nil
	}
	return []answer{{"value": json.RawMessage(converted), "error": nil}}, nil
}
