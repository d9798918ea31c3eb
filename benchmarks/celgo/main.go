// Command celgo compiles and evaluates selectors with cel-go: JSON on stdin as benchmarks/cel.py writes it, times on stdout.
package main

import (
	"encoding/json"
	"log"
	"os"
	"runtime/debug"
	"sort"
	"time"

	"github.com/google/cel-go/cel"
)

type question struct {
	Selectors map[string]string
	Devices   []map[string]any
	Runs      int
}

type answer struct {
	Compile float64 `json:"compile"` // seconds
	Each    float64 `json:"each"`    // seconds for a device
	Matches int     `json:"matches"`
}

func median(runs int, work func()) float64 {
	times := make([]float64, runs)
	for i := range times {
		start := time.Now()
		work()
		times[i] = time.Since(start).Seconds()
	}
	sort.Float64s(times)
	return times[runs/2]
}

// withInts replaces numbers by integers, which those of attributes are.
func withInts(values map[string]any) {
	for name, value := range values {
		switch value := value.(type) {
		case json.Number:
			number, err := value.Int64()
			if err != nil {
				log.Fatal(err)
			}
			values[name] = number
		case map[string]any:
			withInts(value)
		}
	}
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, each := range info.Deps {
		if each.Path == "github.com/google/cel-go" {
			return each.Version
		}
	}
	return "unknown"
}

func main() {
	var asked question
	input := json.NewDecoder(os.Stdin)
	input.UseNumber()
	if err := input.Decode(&asked); err != nil {
		log.Fatal(err)
	}
	for _, device := range asked.Devices {
		withInts(device)
	}
	env, err := cel.NewEnv(cel.Variable("device", cel.MapType(cel.StringType, cel.DynType)))
	if err != nil {
		log.Fatal(err)
	}
	answers := map[string]answer{}
	for name, text := range asked.Selectors {
		var program cel.Program
		compile := median(asked.Runs, func() {
			ast, issues := env.Compile(text)
			if issues.Err() != nil {
				log.Fatal(name, issues.Err())
			}
			if program, err = env.Program(ast, cel.EvalOptions(cel.OptOptimize)); err != nil {
				log.Fatal(err)
			}
		})
		matches := 0
		all := median(asked.Runs, func() {
			matches = 0
			for _, device := range asked.Devices {
				value, _, err := program.Eval(map[string]any{"device": device})
				if err == nil && value.Value() == true {
					matches++
				}
			}
		})
		answers[name] = answer{compile, all / float64(len(asked.Devices)), matches}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"version": version(), "answers": answers})
}
