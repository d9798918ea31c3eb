//go:build !k8s137

package main

// askAdmission: older releases make their base environment in another way, and are not asked.
func askAdmission(celQuestion) []answer {
	return []answer{{"error": "policies are asked of 1.37 alone", "errorKind": "input"}}
}
