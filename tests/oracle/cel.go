package main

import (
	"context"
	"encoding/json"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

func init() { subjects["cel"] = askCEL }

type celDevice struct {
	Driver                   string                                                    `json:"driver"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity  `json:"capacity"`
}

type celQuestion struct {
	Expression string            `json:"expression"`
	Env        string            `json:"env"`
	Derived    bool              `json:"derived"`
	Devices    []celDevice       `json:"devices"`
	Objects    []json.RawMessage `json:"objects"`
	Message    bool              `json:"message"`
	Stored     bool              `json:"stored"`
}

func askCEL(q *question) ([]answer, error) {
	var in celQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if in.Env == "admission" {
		return askAdmission(in), nil
	}
	wanted, err := q.gates()
	if err != nil {
		return nil, err
	}
	features := dracel.Features{}
	setFlags(&features, "Enable", wanted)
	envType := environment.StoredExpressions
	if in.Env == "new" {
		envType = environment.NewExpressions
	}
	options := dracel.Options{EnvType: &envType}
	if in.Derived {
		if !setFlag(&options, "DerivedAttribute", true) {
			return []answer{{"error": "this release has no derived attributes", "errorKind": "input"}}, nil
		}
	}
	compiled := dracel.GetCompiler(features).CompileCELExpression(in.Expression, options)
	reply := answer{"compileError": nil, "outputType": nil, "maxCost": nil}
	if compiled.Error != nil {
		reply["compileError"] = map[string]string{"type": string(compiled.Error.Type), "detail": compiled.Error.Detail}
		return []answer{reply}, nil
	}
	reply["outputType"] = compiled.OutputType.String()
	reply["maxCost"] = compiled.MaxCost
	results := make([]any, 0, len(in.Devices))
	for _, device := range in.Devices {
		results = append(results, evaluate(compiled, device, in.Derived))
	}
	reply["results"] = results
	return []answer{reply}, nil
}

func evaluate(compiled dracel.CompilationResult, device celDevice, derived bool) answer {
	result := answer{}
	input := dracel.Device{
		Driver:                   device.Driver,
		AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes:               device.Attributes,
		Capacity:                 device.Capacity,
	}
	if derived {
		return evaluateDerived(compiled, input)
	}
	match, details, err := compiled.DeviceMatches(context.Background(), input)
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			result["cost"] = *cost
		}
	}
	if err != nil {
		result["match"], result["error"] = nil, err.Error()
		return result
	}
	result["match"] = match
	return result
}
