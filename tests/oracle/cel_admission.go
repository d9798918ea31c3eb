//go:build k8s137

package main

import (
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	celgo "github.com/google/cel-go/cel"
)

// policyExpression is an expression of a ValidatingAdmissionPolicy: one that judges, or one that makes a message.
type policyExpression struct {
	text   string
	result *celgo.Type
}

func (e policyExpression) GetExpression() string      { return e.text }
func (e policyExpression) ReturnTypes() []*celgo.Type { return []*celgo.Type{e.result} }

// askAdmission compiles an expression as policies do and evaluates it for each object.
func askAdmission(in celQuestion) []answer {
	mode := environment.NewExpressions
	if in.Stored {
		mode = environment.StoredExpressions
	}
	result := celgo.BoolType
	if in.Message {
		result = celgo.StringType
	}
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	compiled := cel.NewCompiler(base).CompileCELExpression(policyExpression{in.Expression, result}, cel.OptionalVariableDeclarations{}, mode)
	if compiled.Error != nil {
		failure := map[string]string{"type": string(compiled.Error.Type), "detail": compiled.Error.Detail}
		return []answer{{"compileError": failure, "outputType": nil}}
	}
	results := make([]any, 0, len(in.Objects))
	for _, raw := range in.Objects {
		var object any
		each := answer{}
		// As objects are decoded: whole numbers stay whole.
		if err := utiljson.Unmarshal(raw, &object); err != nil {
			return []answer{{"error": err.Error(), "errorKind": "input"}}
		}
		value, details, err := compiled.Program.Eval(map[string]any{"object": object})
		if details != nil && details.ActualCost() != nil {
			each["cost"] = *details.ActualCost()
		}
		if err != nil {
			each["value"], each["error"] = nil, err.Error()
		} else {
			each["value"] = value.Value()
		}
		results = append(results, each)
	}
	return []answer{{"compileError": nil, "outputType": compiled.OutputType.String(), "results": results}}
}
