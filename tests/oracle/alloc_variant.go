//go:build !k8s134

package main

import (
	"errors"
	"fmt"

	"k8s.io/dynamic-resource-allocation/structured"
)

func chooseImplementation(name string) error {
	switch name {
	case "", "auto":
		structured.EnableAllocators()
	case "stable", "incubating", "experimental":
		structured.EnableAllocators(name)
	default:
		return fmt.Errorf("impl: unknown variant %q", name)
	}
	return nil
}

func onlyThisNode(err error) bool { return errors.Is(err, structured.ErrFailedAllocationOnNode) }
