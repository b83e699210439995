package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// plainWords are what to say instead of phrases that make a reader stop: they
// are another language's, or a century's.
func plainWords() map[string]string {
	return map[string]string{
		`whoever`:                           "a caller that, anybody who, or the passive",
		`but for`:                           "except for",
		`in the way`:                        "blocking",
		`one who|those who wait`:            "a waiter, a caller that",
		`who gives? no`:                     "a caller without",
		`(?:go|goes|went) on`:               "continues, keeps working",
		`anew`:                              "again",
		`heed(?:s|ed|ing)?`:                 "respects",
		`hence`:                             "so",
		`beneath`:                           "under",
		`signs? of life`:                    "last seen, heartbeat",
		`(?:left|leaves?|leaving) out`:      "omitted, skips",
		`can(?:not)? be told`:               "is not known",
		`told (?:from|apart)`:               "distinguished",
		`overlaps are told`:                 "overlaps are reported",
		`leads? nowhere`:                    "does not exist",
		`yet to be`:                         "not yet",
		`not to be had`:                     "could not be acquired",
		`mend(?:s|ed|ing)?`:                 "fixes",
		`vigils?|stakes?|mercy|grip|spots?`: "waiter, claim, exemption, handle, place",
		`(?:is|are) no [a-z]+`:              "is not a",
	}
}

// oddWords finds the phrases of a text that plainWords says otherwise.
func oddWords() func(text string) []string {
	var patterns []string
	say := map[*regexp.Regexp]string{}
	for pattern, instead := range plainWords() {
		patterns = append(patterns, pattern)
		say[regexp.MustCompile(`(?i)^(?:`+pattern+`)$`)] = instead
	}
	phrase := regexp.MustCompile(`(?i)(?:\bthere )?\b(?:` + strings.Join(patterns, "|") + `)\b`)
	// "There is no lock" and "a lock that is no longer" are plain.
	plain := regexp.MustCompile(`(?i)^there |\bno (?:longer|more|larger|wider|less|later|earlier|other)$`)
	return func(text string) (found []string) {
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, "//", " ")), " ")
		for _, at := range phrase.FindAllStringIndex(text, -1) {
			odd := text[at[0]:at[1]]
			if plain.MatchString(odd) {
				continue
			}
			for whole, instead := range say {
				if whole.MatchString(odd) {
					found = append(found, "…"+text[max(0, at[0]-30):min(len(text), at[1]+30)]+"…: rather than "+odd+" say "+instead)
				}
			}
		}
		return found
	}
}

func TestHouseWordsArePlain(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	find := oddWords()
	check := func(name, text string) {
		for _, odd := range find(text) {
			t.Errorf("%s: %s", name, odd)
		}
	}
	for name, file := range sources(t) {
		for _, group := range file.Comments {
			check(name, group.Text())
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				check(name, text.Value)
			}
			return true
		})
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "plugin/skills/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %q, %v", pattern, pages, err)
		}
		for _, name := range pages {
			for paragraph := range strings.SplitSeq(page(t, name), "\n\n") {
				check(name, paragraph)
			}
		}
	}
}

// A command that is printed means what it says when it is pasted: as a scope, "..."
// is the whole repository.
func TestHouseCommandsHaveNoDots(t *testing.T) {
	t.Parallel()
	dots := regexp.MustCompile("[ =]['\"`]?\\.\\.\\.(?:[ '\"`;,)\n]|$)")
	for _, text := range []string{"update x --add-scope ...", "--title '...' -- a", "--scope=... --agent me"} {
		if !dots.MatchString(text) {
			t.Errorf("%q is not found", text)
		}
	}
	for name, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err != nil || dots.MatchString(text) {
					t.Errorf("%s: name real entries in %s (%v)", name, literal.Value, err)
				}
			}
			return true
		})
	}
}
