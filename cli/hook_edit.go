package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// What AGENT_LOCKS_HOOK says happens to an edit of a file that somebody else
// holds.
const (
	editDeny = "deny"
	editWarn = "warn"
	editOff  = "off"
)

// editMode is that; a word that is none of them counts as the strictest.
func (h *claudeHook) editMode() string {
	switch mode := strings.ToLower(strings.TrimSpace(h.getenv("AGENT_LOCKS_HOOK"))); mode {
	case editWarn, editOff:
		return mode
	}
	return editDeny
}

// file is the absolute path of the file that the tool edits; edits is false
// for other tools.
func (h *claudeHook) file() (path string, edits bool) {
	var in struct {
		FilePath     any `json:"file_path"`
		NotebookPath any `json:"notebook_path"`
	}
	switch h.in.ToolName {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
	default:
		return "", false
	}
	if err := json.Unmarshal(h.in.ToolInput, &in); err != nil {
		return "", true
	}
	for _, said := range []any{in.FilePath, in.NotebookPath} {
		if text, ok := said.(string); ok && text != "" {
			path = text
			break
		}
	}
	if path == "" || filepath.IsAbs(path) {
		return path, true
	}
	dir := h.in.Cwd
	if dir == "" {
		wd, err := h.Getwd()
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
	return dir + string(filepath.Separator) + path, true // not Join: a .. may follow a symlink
}

func (h *claudeHook) edit(path string) store.EditRequest {
	return store.EditRequest{Path: path, AgentID: h.agent, ParentAgentID: h.parent}
}

// preToolUse holds back the edit of a file that somebody else holds.
func (h *claudeHook) preToolUse(ctx context.Context) claudeAnswer {
	mode := h.editMode()
	path, edits := h.file()
	switch {
	case mode == editOff || !edits && h.in.ToolName != "":
		return claudeAnswer{}
	case !edits:
		return h.undecided("the event names no tool")
	case path == "":
		return h.undecided(fmt.Sprintf("the event names no file for %s", h.in.ToolName))
	}
	ans, err := h.locks.Edit(ctx, h.edit(path))
	h.warn(ans.Warnings)
	switch {
	case ctx.Err() != nil:
		return h.undecided("no answer in time: " + context.Cause(ctx).Error())
	case err != nil:
		return h.held(mode, "agent-locks: nobody can tell whether somebody else holds this file: "+plainLines(errorText(err))+"\n"+bypassText)
	case len(ans.Result.Blocked) > 0:
		return h.held(mode, heldText(ans.Result.Blocked, elsewhere(h.in.Cwd, path, ans.Result.Blocked[0])))
	}
	var notes []string
	for _, w := range ans.Result.Warned {
		notes = append(notes, fmt.Sprintf("agent-locks: you may edit %s, but it %s (lock %s)", plain(w.Files[0]), holdText("is ", w), plain(w.ID)))
	}
	if ans.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("agent-locks: %s could not be read, so this check is incomplete: agent-locks doctor", count(ans.Unreadable, "lock file")))
	}
	if len(notes) == 0 {
		return claudeAnswer{}
	}
	return h.context(strings.Join(notes, "\n"))
}

// held denies an edit or, where edits are not to be held back, tells of it.
func (h *claudeHook) held(mode, text string) claudeAnswer {
	if mode == editDeny {
		return claudeAnswer{Specific: &claudeSpecific{HookEventName: h.event, PermissionDecision: "deny", PermissionDecisionReason: text}}
	}
	text = "Only a warning, the edit goes through. " + text
	a := h.context(text)
	a.SystemMessage = text
	return a
}

const bypassText = "- bypass: only the person who runs this session can, by starting it with AGENT_LOCKS_HOOK=warn (or off) in its environment."

// elsewhere is the directory that tools and commands must be told of to reach
// the store that a file's lock is in; "" where they find it from cwd.
func elsewhere(cwd, path string, held store.Hold) string {
	root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Clean(path)), "/"+held.Files[0])
	if !ok { // by way of a symlink, or recorded in another form
		root = held.Repository
	}
	if rel, err := filepath.Rel(root, cwd); err == nil && filepath.IsLocal(rel) && !nested(root, rel) {
		return ""
	}
	return root
}

// nested tells whether a directory in the worktree at root lies in a worktree
// of its own there, as that of a submodule. In doubt it does: to name a store
// that would have been found anyway does no harm.
func nested(root, rel string) bool {
	for ; rel != "."; rel = filepath.Dir(rel) {
		if _, err := os.Lstat(filepath.Join(root, rel, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// heldText says who holds a file and every way out; baseDir is where from,
// unless the session is there.
func heldText(holds []store.Hold, baseDir string) string {
	var b strings.Builder
	for _, held := range holds {
		fmt.Fprintf(&b, "agent-locks: %s %s (lock %s, since %s, last sign of life %s ago", plain(held.Files[0]), holdText("is ", held), plain(held.ID), plain(held.Created), store.Age(held.StaleForSeconds))
		if held.Worktree != "" {
			fmt.Fprintf(&b, ", in %s", plain(held.Worktree))
		}
		b.WriteString(").\n")
		if held.LastNote != "" {
			fmt.Fprintf(&b, "Its last note: %s\n", plain(held.LastNote))
		}
	}
	first := holds[0]
	who := "the holder"
	if first.AgentID != nil {
		who = plain(*first.AgentID)
	}
	flag := ""
	if baseDir != "" {
		flag = "--base-dir " + shellQuoted(baseDir) + " "
		fmt.Fprintf(&b, "With the tools, pass base_dir %s.\n", plain(baseDir))
	}
	fmt.Fprintf(&b, `Ways out:
- coordinate: ask %s, or leave a note with lock_update on %s.
- wait: lock_wait on the file (or: agent-locks wait %s-- %s), then edit.
- narrow: work on other files first; the holder can give this one up with lock_update remove_scope.
%s`, who, plain(first.ID), flag, entryWords(first.Files[:1]), bypassText)
	return b.String()
}

// errorText is an error and what to do about it, in one line.
func errorText(err error) string {
	var e *store.Error
	if errors.As(err, &e) && e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return err.Error()
}

// postToolUse keeps the session's locks alive and tells of an edit outside
// them.
func (h *claudeHook) postToolUse(ctx context.Context) claudeAnswer {
	path, edits := h.file()
	if !edits || path == "" || h.agent == nil {
		return claudeAnswer{}
	}
	ans, err := h.locks.Edited(ctx, h.edit(path))
	h.warn(ans.Warnings)
	if err != nil {
		h.warn([]string{errorText(err)}) // the edit is done; there is nothing to hold back
	}
	if ans.Result.Outside == "" {
		return claudeAnswer{}
	}
	var claims []string
	for _, s := range ans.Result.Claims {
		claims = append(claims, fmt.Sprintf("%s (%s)", plain(s.ID), plain(strings.Join(s.Scope, ", "))))
	}
	return h.context(fmt.Sprintf("agent-locks: you changed %s, which none of your claims covers: %s. "+
		"If it belongs to that work, widen the claim (lock_update with add_scope), so that others see it.",
		plain(ans.Result.Outside), strings.Join(claims, "; ")))
}
