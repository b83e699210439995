package claude

import (
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// maxText bounds the reason for a denial and the context for an edit that goes
// through: models read it, and it contains other people's text.
const maxText = 2 << 10 // bytes

// maxCommand is the length above which a command, or a path in it, is omitted:
// a truncated command would be useless.
const maxCommand = 400 // bytes

// A refusal tells an agent that somebody else holds a file.
type refusal struct {
	edit    store.EditVerdict
	baseDir string // base_dir needed to find the locks; "": the session's directory finds them
	waysOut bool   // the edit is denied
}

// text names the holders and, if the edit is denied, every way out.
func (r refusal) text() string {
	edit, baseDir := r.edit, r.baseDir
	flag, tools := "", ""
	if baseDir != "" && len(baseDir) <= maxCommand {
		flag = "--base-dir " + shell.Word(baseDir) + " "
		tools = fmt.Sprintf("With the tools, pass base_dir %s.\n", render.Plain(baseDir))
	}
	holds := make([]string, len(edit.Blocked))
	for i, held := range edit.Blocked {
		holds[i] = holdLines(held, edit.You, flag)
	}
	if !r.waysOut {
		return bounded(holds, "\n"+wordsOf(edit.Blocked))
	}
	return bounded(holds, fmt.Sprintf(`
%s
%sWays out:
%s%s- wait: lock_wait on the file%s, then edit.
- narrow: work on other files first; the holder can give this one up with lock_update remove_scope.
%s`, wordsOf(edit.Blocked), tools, r.finish(flag), coordinate(edit.Blocked, flag),
		command("agent-locks wait "+flag+"-- "+render.Entries(edit.Blocked[0].Files[:1])), bypassText))
}

// coordinate returns a line for each holder that could be asked.
func coordinate(blocked []store.Hold, flag string) string {
	var b strings.Builder
	asked, more := render.Holders(blocked)
	told := false
	for _, h := range asked {
		if h.Clone != "" { // notes do not leave their clone
			fmt.Fprintf(&b, "- coordinate: tell the person you work for that %s holds it.\n", holderName(h))
			continue
		}
		if told { // with the same command
			fmt.Fprintf(&b, "- and likewise on %s: %s.\n", render.Plain(h.ID), holderName(h))
			continue
		}
		fmt.Fprintf(&b, "- coordinate: lock_update on %s with a note: %s reads it with its next answer%s.\n",
			render.Plain(h.ID), holderName(h),
			command("agent-locks tell "+flag+shell.Word(h.ID)+" 'what you need'"))
		told = true
	}
	if more > 0 {
		fmt.Fprintf(&b, "- and with the holders of %s more.\n", render.Count(more, "lock"))
	}
	return b.String()
}

func holderName(h store.Hold) string {
	if h.AgentID == nil {
		return "the holder"
	}
	if h.Clone != "" {
		return render.Holder(short(h).Summary)
	}
	return clipped(*h.AgentID, 80)
}

// finish is the way out for an agent that started the holder, and so may end its lock.
func (r refusal) finish(flag string) string {
	for _, held := range r.edit.Blocked {
		if held.Whose == store.WhoseChild {
			return fmt.Sprintf("- finish: you started %s; when it is done: lock_finish on %s%s.\n",
				holderName(held), render.Plain(held.ID),
				command("agent-locks finish "+flag+shell.Word(held.ID)+" --agent "+shell.Word(*r.edit.You)))
		}
	}
	return ""
}

func command(line string) string {
	if len(line) > maxCommand {
		return ""
	}
	return fmt.Sprintf(" (or: %s)", line)
}

// holdLines describe who holds a file and, if the lock is from the caller's own
// worktree or from one that is gone, what can be done about it.
func holdLines(held store.Hold, me *string, flag string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent-locks: %s %s (lock %s, since %s, last seen %s ago", clipped(held.Files[0], 120), holdText(held),
		render.Plain(held.ID), render.Plain(held.Created), store.Age(held.StaleForSeconds))
	if held.Worktree != "" {
		fmt.Fprintf(&b, ", in %s", clipped(held.Worktree, 120))
	}
	b.WriteString(").")
	if held.LastNote != "" {
		note := clipped(held.LastNote, 200)
		if held.Clone != "" {
			note = fmt.Sprintf("\"%s\"", note)
		}
		fmt.Fprintf(&b, "\nIts last note: %s", note)
	}
	switch {
	case held.Whose == store.WhoseChild:
		b.WriteString("\nIt was claimed within your own session, by another agent there.")
	case held.Whose == store.WhoseKin:
		b.WriteString("\nIt was claimed by another agent of your session, or one that was started with you.")
	case held.Whose == store.WhoseGone:
		fmt.Fprintf(&b, "\nIts worktree is gone. If nobody works on it any longer: agent-locks finish %s%s --force, or "+
			"agent-locks reap %s%s once it is stale.",
			flag, shell.Word(held.ID), flag, shell.Word(held.ID))
	case held.SameWorktree != nil && *held.SameWorktree && held.AgentID != nil:
		fmt.Fprintf(&b, "\nIt was made from your own worktree; %s.", whoseHere(held.Summary, me, flag))
	}
	return b.String()
}

// holdText is render.HoldText with other people's text shortened.
func holdText(h store.Hold) string { return render.HoldText("is ", short(h)) }

// short returns the hold with its names cut. They still have to be made plain.
func short(h store.Hold) store.Hold {
	h.Title = cut(h.Title, 120)
	if h.AgentID != nil {
		agent := cut(*h.AgentID, 80)
		h.AgentID = &agent
	}
	return h
}

// cut returns at most n characters of s.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// bounded joins as many parts as fit before the tail, one a line. The first is
// always included, cut if necessary.
func bounded(parts []string, tail string) string {
	room := maxText - len(tail)
	var b strings.Builder
	for i, part := range parts {
		more := fmt.Sprintf("\nand %d more: agent-locks status", len(parts)-i)
		if i == 0 && len(part)+len(more) > room {
			part = strings.ToValidUTF8(part[:max(0, room-len(more)-len("…"))], "") + "…"
		} else if i > 0 && b.Len()+1+len(part)+len(more) > room {
			b.WriteString(more)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(part)
	}
	return b.String() + tail
}
