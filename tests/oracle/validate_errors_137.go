//go:build k8s137

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

func createErrors(ctx context.Context, chosen strategy, object runtime.Object) field.ErrorList {
	return rest.ValidateCreate(ctx, object, chosen)
}

func updateErrors(ctx context.Context, chosen strategy, object, old runtime.Object) field.ErrorList {
	return rest.ValidateUpdate(ctx, object, old, chosen)
}

func allowsUnconditionalUpdate(ctx context.Context, chosen strategy) bool {
	return chosen.AllowUnconditionalUpdate(ctx)
}
