//go:build !k8s137

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func createErrors(ctx context.Context, chosen strategy, object runtime.Object) field.ErrorList {
	if errs := chosen.Validate(ctx, object); len(errs) > 0 {
		return errs
	}
	accessor, _ := meta.Accessor(object)
	return genericvalidation.ValidateObjectMetaAccessor(
		accessor, chosen.NamespaceScoped(), path.ValidatePathSegmentName, field.NewPath("metadata"))
}

func updateErrors(ctx context.Context, chosen strategy, object, old runtime.Object) field.ErrorList {
	accessor, _ := meta.Accessor(object)
	stored, _ := meta.Accessor(old)
	metadata := field.NewPath("metadata")
	errs := genericvalidation.ValidateObjectMetaAccessor(accessor, chosen.NamespaceScoped(), path.ValidatePathSegmentName, metadata)
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(accessor, stored, metadata)...)
	return append(errs, chosen.ValidateUpdate(ctx, object, old)...)
}

func allowsUnconditionalUpdate(_ context.Context, chosen strategy) bool {
	return chosen.AllowUnconditionalUpdate()
}
