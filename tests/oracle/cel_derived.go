//go:build k8s137

package main

import (
	"context"

	dracel "k8s.io/dynamic-resource-allocation/cel"
)

func evaluateDerived(compiled dracel.CompilationResult, device dracel.Device) answer {
	result := answer{"value": nil}
	value, details, err := compiled.EvaluateDerivedAttribute(context.Background(), device)
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			result["cost"] = *cost
		}
	}
	if err != nil {
		result["error"] = err.Error()
		return result
	}
	result["value"] = value
	return result
}
