//go:build k8s137

package main

import (
	"context"

	dracel "k8s.io/dynamic-resource-allocation/cel"
)

func evaluateDerived(compiled dracel.CompilationResult, device dracel.Device) answer {
	value, details, err := compiled.EvaluateDerivedAttribute(context.Background(), device)
	_ = details
	if err != nil {
		return answer{"value": nil, "error": err.Error()}
	}
	return answer{"value": value}
}
