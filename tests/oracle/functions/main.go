// Command functions lists the functions of Go files with a hash of each: what the upstream map is made of.
//
// usage: go run ./functions FILE...   (one line a function: file, name, hash)
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := list(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// list prints the functions of a file. Comments and the place in the file do not count for the hash.
func list(path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		var text bytes.Buffer
		// A file set of its own: line breaks that only comments made would else be kept.
		if err := printer.Fprint(&text, token.NewFileSet(), function); err != nil {
			return err
		}
		sum := sha256.Sum256(bytes.Join(bytes.Fields(text.Bytes()), []byte(" ")))
		fmt.Printf("%s %s %x\n", path, name(function), sum[:4])
	}
	return nil
}

// name is that of the function, after a dot if it is a method: "Type.Method".
func name(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	for {
		switch of := receiver.(type) {
		case *ast.StarExpr:
			receiver = of.X
			continue
		case *ast.IndexExpr:
			receiver = of.X
			continue
		case *ast.IndexListExpr:
			receiver = of.X
			continue
		case *ast.Ident:
			return of.Name + "." + function.Name.Name
		}
		return function.Name.Name
	}
}
