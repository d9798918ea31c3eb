// Answers of Go's package regexp, one JSON line for each line read: {"pattern": ..., "text": ...}.
//
// A line {"class": ...} asks for all code points that a class has: from, to, from, to ...
//
// `go run . tables > dradsl/regexp/unicode.json` writes the tables of package unicode instead.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type question struct {
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
	Class   string `json:"class"`
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
	if len(os.Args) > 1 && os.Args[1] == "tables" {
		out.Encode(map[string]any{
			"version": unicode.Version, "categories": categories(), "names": unicode.CategoryAliases,
			"scripts": tables(unicode.Scripts), "folds": folds()})
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if q.Class != "" {
			out.Encode(map[string]any{"class": q.Class, "members": members(q.Class)})
			continue
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

// members lists the ranges of a class, each by its first and its last code point.
func members(class string) []rune {
	parsed, err := syntax.Parse(class, syntax.Perl)
	if err != nil {
		panic(err)
	}
	switch parsed.Op {
	case syntax.OpAnyChar:
		return []rune{0, unicode.MaxRune}
	case syntax.OpNoMatch:
		return []rune{}
	case syntax.OpLiteral:
		return []rune{parsed.Rune[0], parsed.Rune[0]}
	}
	return parsed.Rune
}

// categories are the general categories of two letters. The others are made of them.
func categories() map[string]string {
	two := map[string]*unicode.RangeTable{}
	for name, table := range unicode.Categories {
		if len(name) == 2 && name != "LC" && name != "Cn" {
			two[name] = table
		}
	}
	return tables(two)
}

// tables writes each range as `gap,length,stride` in base 36: how far it begins behind the one
// before, how far it reaches (0 is left out), and its stride (1 is left out).
func tables(all map[string]*unicode.RangeTable) map[string]string {
	written := map[string]string{}
	for name, table := range all {
		var ranges []string
		last := int64(0)
		add := func(low, high, stride int64) {
			parts := strconv.FormatInt(low-last, 36)
			if high > low {
				parts += "," + strconv.FormatInt(high-low, 36)
				if stride > 1 {
					parts += "," + strconv.FormatInt(stride, 36)
				}
			}
			ranges = append(ranges, parts)
			last = high
		}
		for _, r := range table.R16 {
			add(int64(r.Lo), int64(r.Hi), int64(r.Stride))
		}
		for _, r := range table.R32 {
			add(int64(r.Lo), int64(r.Hi), int64(r.Stride))
		}
		written[name] = strings.Join(ranges, " ")
	}
	return written
}

// folds lists the code points that differ by case alone: the first one, how many follow in the same
// way, how far they are apart, and how far from each its other forms are.
func folds() [][]rune {
	var runs [][]rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		var forms []rune
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			forms = append(forms, other-r)
		}
		if len(forms) == 0 || slices.Min(forms) < 0 {
			continue
		}
		if len(runs) > 0 {
			run := runs[len(runs)-1]
			step := r - run[0] - run[2]*(run[1]-1)
			if slices.Equal(run[3:], forms) && step < 3 && (run[1] == 1 || run[2] == step) {
				run[1], run[2] = run[1]+1, step
				continue
			}
		}
		runs = append(runs, append([]rune{r, 1, 1}, forms...))
	}
	return runs
}
