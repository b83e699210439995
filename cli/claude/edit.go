package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// file returns the absolute path of the file that the tool edits; "" if the
// event names none. edits is false for tools that do not edit files.
func (e *event) file() (path string, edits bool) {
	var in struct {
		FilePath     any `json:"file_path"`
		NotebookPath any `json:"notebook_path"`
	}
	switch e.in.ToolName {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
	default:
		return "", false
	}
	if err := json.Unmarshal(e.in.ToolInput, &in); err != nil {
		return "", true
	}
	names := []any{in.FilePath, in.NotebookPath}
	if e.in.ToolName == "NotebookEdit" { // its own parameter name takes precedence
		slices.Reverse(names)
	}
	for _, said := range names {
		if text, ok := said.(string); ok && text != "" {
			path = text
			break
		}
	}
	path, err := store.FilePath(path)
	if err != nil {
		return "", true
	}
	if path == "" || filepath.IsAbs(path) {
		return path, true
	}
	dir := e.in.Cwd
	if dir == "" {
		wd, err := e.hook.Getwd()
		if err != nil {
			return "", true
		}
		dir = wd
	}
	if !filepath.IsAbs(dir) {
		return "", true
	}
	if path = gitdir.Rooted(dir, path); filepath.IsAbs(path) {
		return path, true
	}
	return dir + string(filepath.Separator) + path, true // not filepath.Join, since a .. may follow a symlink
}

func (e *event) edit(path string) store.EditRequest {
	return store.EditRequest{Path: path, AgentID: e.who.agent, ParentAgentID: e.who.parent, Session: e.session()}
}

// beforeEdit stops the edit of a file that somebody else holds.
func (e *event) beforeEdit(ctx context.Context) Answer {
	mode := e.mode()
	path, edits := e.file()
	switch {
	case mode == modeOff || !edits && e.in.ToolName != "":
		return Answer{}
	case !edits:
		return e.undecided("the event names no tool")
	case path == "":
		return e.undecided(fmt.Sprintf("the event names no file for %s", e.in.ToolName))
	}
	ans, err := e.hook.Locks.Edit(ctx, e.edit(path))
	e.hook.Warn(ans.Warnings)
	switch {
	case ctx.Err() != nil:
		return e.undecided(tooLate(ctx))
	case err != nil:
		text := "agent-locks: cannot tell whether somebody else holds this file: " + clipped(errorText(err), 600)
		if mode == modeDeny {
			text += "\n" + bypassText
		}
		return e.held(mode, text)
	case len(ans.Result.Blocked) > 0:
		r := refusal{edit: ans.Result, baseDir: elsewhere(e.in.Cwd, path, ans.Result.Blocked[0]),
			waysOut: mode == modeDeny}
		return e.held(mode, r.text())
	}
	var notes []string
	for _, w := range ans.Result.Warned {
		notes = append(notes, fmt.Sprintf("agent-locks: you may edit %s, but it %s (lock %s)",
			clipped(w.Files[0], 200), holdText(w), render.Plain(w.ID)))
	}
	tail := ""
	if len(notes) > 0 {
		tail = "\n" + wordsOf(ans.Result.Warned)
	}
	if why := ans.Missing(); why != "" {
		notes = append([]string{fmt.Sprintf("agent-locks: %s, so this check is incomplete: agent-locks doctor", why)},
			notes...)
	}
	if len(notes) == 0 {
		return Answer{}
	}
	return e.context(bounded(notes, tail))
}

// held denies an edit or, if the mode is warn, warns about it.
func (e *event) held(mode, text string) Answer {
	if mode == modeDeny {
		return e.decision("deny", text)
	}
	return e.warning("Only a warning: the edit goes through. " + text)
}

const bypassText = "- bypass: ask the person who runs this session; only a person may let the edit through."

// elsewhere returns the directory that tools and commands must name to reach
// the store with the file's lock; "" if they find it from cwd.
func elsewhere(cwd, path string, held store.Hold) string {
	root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Clean(path)), "/"+held.Files[0])
	if !ok { // reached through a symlink, or recorded in another form
		root = held.Repository
	}
	if rel, err := filepath.Rel(root, cwd); err == nil && filepath.IsLocal(rel) && !nested(root, rel) {
		return ""
	}
	return root
}

// nested reports whether the directory rel, below the worktree at root, is
// inside another worktree, such as a submodule's. If in doubt it returns true:
// naming a store that would have been found anyway does no harm.
func nested(root, rel string) bool {
	for ; rel != "."; rel = filepath.Dir(rel) {
		if _, err := os.Lstat(filepath.Join(root, rel, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// errorText formats an error and its hint on one line.
func errorText(err error) string {
	var e *store.Error
	if errors.As(err, &e) && e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return err.Error()
}

// afterEdit keeps the session's locks alive, and reports an edit outside its claims.
func (e *event) afterEdit(ctx context.Context) Answer {
	path, edits := e.file()
	if !edits || path == "" || e.who.agent == nil {
		return Answer{}
	}
	ans, err := e.hook.Locks.Edited(ctx, e.edit(path))
	e.hook.Warn(ans.Warnings)
	if err != nil {
		e.hook.Warn([]string{errorText(err)}) // the edit is done and cannot be stopped any more
	}
	var text []string
	if ans.Result.Outside != "" {
		text = append(text, outsideText(ans.Result))
	}
	for _, news := range ans.Result.News {
		text = append(text, "agent-locks: "+clipped(news, 400))
	}
	if len(ans.Result.Notes) > 0 {
		text = append(text, newNotesText(ans.Result.Notes))
	}
	if len(text) == 0 {
		return Answer{}
	}
	a := e.context(strings.Join(text, "\n"))
	a.Delivered = ans.Delivered
	return a
}

// newNotesText lists notes by others for the session. The store has limited their size.
func newNotesText(locks []store.LockNotes) string {
	lines := []string{"agent-locks: others left notes for you. " + othersWords}
	for _, l := range locks {
		for _, n := range l.NewNotes.NewNotes {
			from := ""
			if n.From != nil {
				from = ", from " + render.Plain(*n.From)
			}
			lines = append(lines, fmt.Sprintf("- on %s%s: %s", render.Plain(l.ID), from, render.Plain(n.Text)))
		}
		if l.NewNotesLeftOut > 0 {
			lines = append(lines, fmt.Sprintf("- and %d more on %s: lock_show", l.NewNotesLeftOut, render.Plain(l.ID)))
		}
	}
	return strings.Join(lines, "\n")
}

// outsideText reports an edit outside the session's claims.
func outsideText(f store.EditFollowUp) string {
	const shown = 5
	var claims []string
	for i, s := range f.Claims {
		if i == shown {
			claims = append(claims, fmt.Sprintf("and %d more", len(f.Claims)-shown))
			break
		}
		claims = append(claims, fmt.Sprintf("%s (%s)", render.Plain(s.ID), clipped(strings.Join(s.Scope, ", "), 200)))
	}
	return fmt.Sprintf("agent-locks: you changed %s, which none of your claims covers: %s. "+
		"If it belongs to that work, widen the claim (lock_update with add_scope), so that others see it.",
		clipped(f.Outside, 200), strings.Join(claims, "; "))
}
