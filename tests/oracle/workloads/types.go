package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

var unmarshaler = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()

// types are the Go types below the kinds, by the names that error messages give them: of a struct the fields by
// their names in JSON, of another named type what it is. A field of an embedded struct is `TYPE STRUCT`.
type types map[string]any

// writeTypes writes the types of the kinds as JSON.
func writeTypes(kinds []runtime.Object) {
	found, seen := types{}, map[string]reflect.Type{}
	for _, kind := range kinds {
		found.add(reflect.TypeOf(kind).Elem(), seen)
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (t types) add(of reflect.Type, seen map[string]reflect.Type) {
	if of.PkgPath() != "" {
		if before, is := seen[of.String()]; is {
			if before != of {
				panic("two types have the name " + of.String())
			}
			return
		}
		seen[of.String()] = of
		if reflect.PointerTo(of).Implements(unmarshaler) {
			t[of.String()] = "json"
			return
		}
	}
	switch of.Kind() {
	case reflect.Struct:
		fields := map[string]string{}
		t.fields(of, "", fields, seen)
		t[of.String()] = fields
		return
	case reflect.Map:
		t.add(of.Key(), seen)
		t.add(of.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		t.add(of.Elem(), seen)
	}
	if of.PkgPath() != "" {
		t[of.String()] = plain(of)
	}
}

// plain is what a named type is, as Go writes it without the name.
func plain(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Map:
		return "map[" + of.Key().String() + "]" + of.Elem().String()
	case reflect.Slice:
		return "[]" + of.Elem().String()
	}
	return of.Kind().String()
}

func (t types) fields(of reflect.Type, in string, into map[string]string, seen map[string]reflect.Type) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			t.fields(field.Type, strings.TrimPrefix(in+"."+field.Name, "."), into, seen)
			continue
		}
		if name == "" || name == "-" || strings.Contains(options, "string") {
			panic("no name in JSON, or a quoted value: " + of.String() + "." + field.Name)
		}
		into[name] = strings.TrimSuffix(field.Type.String()+" "+in, " ")
		t.add(field.Type, seen)
	}
}
