package main

import (
	"reflect"

	"k8s.io/component-base/featuregate"
)

// setFlags sets the boolean fields PREFIX+NAME of an upstream struct from the gates DRA+NAME.
// The structs grow with every release; by name, one source serves all of them.
func setFlags(target any, prefix string, wanted map[featuregate.Feature]bool) {
	value := reflect.ValueOf(target).Elem()
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		if len(name) <= len(prefix) || name[:len(prefix)] != prefix || value.Field(i).Kind() != reflect.Bool {
			continue
		}
		on := true
		for _, gate := range gatesCalled(name[len(prefix):]) {
			on = on && wanted[gate]
		}
		value.Field(i).SetBool(on)
	}
}

// setFlag sets one boolean field and tells whether this release has it.
func setFlag(target any, name string, on bool) bool {
	field := reflect.ValueOf(target).Elem().FieldByName(name)
	if !field.IsValid() {
		return false
	}
	field.SetBool(on)
	return true
}
