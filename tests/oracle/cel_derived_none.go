//go:build !k8s137

package main

import dracel "k8s.io/dynamic-resource-allocation/cel"

func evaluateDerived(dracel.CompilationResult, dracel.Device) answer {
	return answer{"value": nil, "error": "this release has no derived attributes"}
}
