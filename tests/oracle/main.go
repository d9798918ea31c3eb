// Command oracle asks the upstream code of one Kubernetes release: JSON Lines in, JSON Lines out.
//
//	oracle SUBJECT [FILE]
//
// The protocol is described in README.md. Every line is answered, whatever is wrong with it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// question is one line of input. A subject reads its fields from the raw text.
type question struct {
	ID       json.RawMessage `json:"id"`
	Features json.RawMessage `json:"features"`
	Default  bool            `json:"default"`

	raw json.RawMessage
}

// answer is one line of output without its id.
type answer = map[string]any

// subject answers one question with one or more lines.
type subject func(q *question) ([]answer, error)

// subjects is filled by the files of the subjects, so that a file can be left out by a build tag.
var subjects = map[string]subject{}

func main() {
	klog.SetLogger(logr.Discard())
	flag.Usage = usage
	flag.Parse()
	name := flag.Arg(0)
	if name == "versions" {
		printVersions()
		return
	}
	ask, known := subjects[name]
	if !known {
		usage()
		os.Exit(2)
	}
	input := io.Reader(os.Stdin)
	if file := flag.Arg(1); file != "" && file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		defer opened.Close()
		input = opened
	}
	if err := run(ask, input, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func usage() {
	names := make([]string, 0, len(subjects))
	for name := range subjects {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: oracle SUBJECT [FILE]\nsubjects: %s, versions\n", strings.Join(names, ", "))
}

func run(ask subject, input io.Reader, output io.Writer) error {
	reader := bufio.NewReaderSize(input, 1<<20)
	writer := bufio.NewWriterSize(output, 1<<20)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			for _, reply := range reply(ask, line) {
				if err := encoder.Encode(reply); err != nil {
					failed := answer{"id": reply["id"], "error": err.Error(), "errorKind": "input"}
					if err := encoder.Encode(failed); err != nil {
						return err
					}
				}
			}
			if reader.Buffered() == 0 {
				writer.Flush() // a caller that waits for each answer gets it
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// reply answers one line; a failure of any kind becomes an answer with "error".
func reply(ask subject, line []byte) (replies []answer) {
	q := &question{raw: line}
	defer func() {
		if crash := recover(); crash != nil {
			traceCrash()
			replies = []answer{{"id": q.ID, "error": fmt.Sprintf("panic: %v", crash), "errorKind": "crash"}}
		}
	}()
	if err := json.Unmarshal(line, q); err != nil {
		return []answer{{"id": q.ID, "error": "not a question: " + err.Error(), "errorKind": "input"}}
	}
	replies, err := ask(q)
	if err != nil {
		return []answer{{"id": q.ID, "error": err.Error(), "errorKind": "input"}}
	}
	for _, reply := range replies {
		reply["id"] = q.ID
	}
	return replies
}

// traceCrash shows where upstream crashed, if ORACLE_TRACE is set.
func traceCrash() {
	if os.Getenv("ORACLE_TRACE") != "" {
		debug.PrintStack()
	}
}

// printVersions tells which upstream modules this binary was built from.
func printVersions() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	modules := map[string]string{"go": info.GoVersion}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		if strings.HasPrefix(module.Path, "k8s.io/") || strings.Contains(module.Path, "cel-go") ||
			strings.Contains(module.Path, "blang/semver") || strings.HasPrefix(module.Path, "sigs.k8s.io/yaml") {
			modules[module.Path] = module.Version
		}
	}
	encoded, _ := json.Marshal(modules)
	fmt.Println(string(encoded))
}
