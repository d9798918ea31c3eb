// Answers of Go's package regexp, one JSON line for each line read: {"pattern": ..., "text": ...}.
//
// `go run . names` prints the scripts and the long names of package unicode instead, which are
// dradsl/regexp/unicode_names.json.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"unicode"
	"unicode/utf8"
)

type question struct {
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
}

type answer struct {
	Pattern string   `json:"pattern"`
	Text    string   `json:"text"`
	Error   string   `json:"error,omitempty"`
	Matches [][2]int `json:"matches,omitempty"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if len(os.Args) > 1 && os.Args[1] == "names" {
		out.Encode(map[string]any{"scripts": scripts(), "categories": unicode.CategoryAliases})
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		a := answer{Pattern: q.Pattern, Text: q.Text}
		compiled, err := regexp.Compile(q.Pattern)
		if err != nil {
			a.Error = err.Error()
		} else {
			for _, at := range compiled.FindAllStringIndex(q.Text, -1) {
				a.Matches = append(a.Matches, [2]int{
					utf8.RuneCountInString(q.Text[:at[0]]), utf8.RuneCountInString(q.Text[:at[1]])})
			}
		}
		out.Encode(a)
	}
}

func scripts() map[string][]uint32 {
	all := map[string][]uint32{}
	for name, table := range unicode.Scripts {
		var ranges []uint32
		add := func(low, high, stride uint32) {
			if stride == 1 {
				ranges = append(ranges, low, high)
				return
			}
			for rune := low; rune <= high; rune += stride {
				ranges = append(ranges, rune, rune)
			}
		}
		for _, r := range table.R16 {
			add(uint32(r.Lo), uint32(r.Hi), uint32(r.Stride))
		}
		for _, r := range table.R32 {
			add(r.Lo, r.Hi, r.Stride)
		}
		all[name] = ranges
	}
	return all
}
