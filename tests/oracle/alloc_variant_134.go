//go:build k8s134

package main

func chooseImplementation(name string) error {
	if name == "" || name == "auto" {
		return nil
	}
	return errNoSuchVariant
}

func onlyThisNode(error) bool { return false }
