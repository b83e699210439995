package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/cli/claude"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A session is a repository with a linked worktree, another one beside it, and
// what is in the environment of a client's session there.
type session struct {
	t   *testing.T
	dir string
	env []string
	now time.Time
}

func newSession(t *testing.T) *session {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// What is cut to a length must be cut at the same place each time.
	const length = 110
	dir = filepath.Join(dir, strings.Repeat("d", max(1, length-len(dir)-1)))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	err = stages.Copy(dir, func(dir string) error {
		_, err := buildStage(t.Context(), dir, os.Environ())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	env := stageEnviron(os.Environ(), filepath.Join(dir, "gitconfig"))
	return &session{t: t, dir: dir, env: env, now: time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)}
}

var stages gittest.Template

func TestMain(m *testing.M) { os.Exit(gittest.InMemory{Tests: m}.Run()) }

// run carries out a command line of that session.
func (s *session) run(stdin string, args ...string) result {
	s.t.Helper()
	return s.runFrom(strings.NewReader(stdin), args...)
}

func (s *session) runFrom(stdin io.Reader, args ...string) result {
	s.t.Helper()
	var out, fault bytes.Buffer
	w := World{
		Args: args, Stdin: stdin, Stdout: &out, Stderr: &fault,
		Environ: func() []string { return s.env },
		Getwd:   func() (string, error) { return s.dir, nil },
		Now:     func() time.Time { return s.now },
	}
	code := Run(s.t.Context(), w)
	return result{out.String(), fault.String(), code}
}

func (s *session) claim(agent, title string, scope ...string) {
	s.t.Helper()
	args := []string{"claim", "--base-dir", filepath.Join(s.dir, mainTree), "--agent", agent, "--title", title}
	for _, e := range scope {
		args = append(args, "--scope", e)
	}
	if r := s.run("", args...); r.code != 0 {
		s.t.Fatalf("%q: %s", args, r.stderr)
	}
}

// event is the JSON of an event; DIR stands for the session's directory.
func (s *session) event(text string) string {
	quoted, err := json.Marshal(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.ReplaceAll(text, "DIR", strings.Trim(string(quoted), `"`))
}

// me is what the session 0a1b2c3d-4e5f is called.
const me = "claude-70a001fa"

// Each golden file has the event as it comes in and the answer to it.
func TestHookAnswers(t *testing.T) {
	t.Parallel()
	const (
		my    = `{"session_id":"0a1b2c3d-4e5f","transcript_path":"/t.jsonl","cwd":"DIR/app","permission_mode":"default",`
		v4    = `{"session_id":"0a1b2c3d-4e5f-4000-8000-0000000000aa","transcript_path":"/t.jsonl","cwd":"DIR/app","permission_mode":"default",`
		edit  = my + `"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"DIR/app/src/a.go","old_string":"a","new_string":"b"}}`
		write = my + `"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"DIR/app/src/new/b.go","content":"x"}}`
		done  = my + `"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"DIR/app/README.md"},"tool_response":{"success":true}}`
	)
	for name, c := range gittest.SomeOf(8, map[string]struct {
		event string
		in    string
		env   []string
		setUp func(*session)
	}{
		"pre-held":              {event: "pre-tool-use", in: edit},
		"pre-held-warn":         {event: "pre-tool-use", in: edit, env: []string{"AGENT_LOCKS_HOOK=warn"}},
		"pre-held-off":          {event: "pre-tool-use", in: edit, env: []string{"AGENT_LOCKS_HOOK=off"}},
		"pre-held-odd-mode":     {event: "pre-tool-use", in: edit, env: []string{"AGENT_LOCKS_HOOK=perhaps"}},
		"pre-by-its-own-name":   {event: "", in: edit},
		"pre-perhaps-held":      {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/lib/a.go"}}`, setUp: func(s *session) { s.claim("them", "All but x", "lib/!(x)") }},
		"pre-perhaps-stale":     {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/lib/a.go"}}`, setUp: func(s *session) { s.claim("them", "All but x", "lib/!(x)"); s.now = s.now.Add(2 * time.Hour) }},
		"pre-new-file":          {event: "pre-tool-use", in: write},
		"pre-notebook":          {event: "pre-tool-use", in: my + `"tool_name":"NotebookEdit","tool_input":{"notebook_path":"DIR/app/src/n.ipynb"}}`},
		"pre-notebook-beside":   {event: "pre-tool-use", in: my + `"tool_name":"NotebookEdit","tool_input":{"file_path":"DIR/app/free.ipynb","notebook_path":"DIR/app/src/n.ipynb"}}`},
		"pre-multi-edit":        {event: "pre-tool-use", in: my + `"tool_name":"MultiEdit","tool_input":{"file_path":"DIR/app/src/a.go","edits":[]}}`},
		"pre-relative":          {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"src/../src/a.go"}}`},
		"pre-free":              {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/README.md"}}`},
		"pre-other-tool":        {event: "pre-tool-use", in: my + `"tool_name":"Bash","tool_input":{"command":"rm -rf src"}}`},
		"pre-outside":           {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/none/a.go"}}`},
		"pre-started-elsewhere": {event: "pre-tool-use", in: strings.Replace(edit, `"cwd":"DIR/app"`, `"cwd":"/"`, 1)},
		"pre-own":               {event: "pre-tool-use", in: edit, env: []string{"AGENT_LOCKS_AGENT_ID=them"}},
		"pre-own-child": {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/README.md"}}`, setUp: func(s *session) {
			s.must("claim", "--title", "Part of mine", "--scope", "*.md", "--agent", "sub", "--parent", me)
		}},
		"pre-stale":              {event: "pre-tool-use", in: edit, setUp: func(s *session) { s.now = s.now.Add(2 * time.Hour) }},
		"pre-malformed":          {event: "pre-tool-use", in: `{"session_id":`},
		"pre-malformed-warn":     {event: "pre-tool-use", in: `{"session_id":`, env: []string{"AGENT_LOCKS_HOOK=warn"}},
		"pre-malformed-off":      {event: "pre-tool-use", in: `{"session_id":`, env: []string{"AGENT_LOCKS_HOOK=off"}},
		"pre-empty":              {event: "pre-tool-use", in: ``},
		"pre-no-object":          {event: "pre-tool-use", in: `["Edit"]`},
		"pre-no-tool":            {event: "pre-tool-use", in: my + `"tool_input":{"file_path":"DIR/app/src/a.go"}}`},
		"pre-no-file":            {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"path":"a"}}`},
		"pre-odd-types":          {event: "pre-tool-use", in: `{"session_id":7,"cwd":[],"tool_name":"Edit","tool_input":{"file_path":"DIR/app/src/a.go"}}`},
		"pre-odd-path":           {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":{}}}`},
		"pre-no-store":           {event: "pre-tool-use", in: edit, setUp: spoilStore},
		"pre-no-store-warn":      {event: "pre-tool-use", in: edit, env: []string{"AGENT_LOCKS_HOOK=warn"}, setUp: spoilStore},
		"pre-held-noted":         {event: "pre-tool-use", in: edit, setUp: func(s *session) { s.must("update", "their-work", "--note", "nearly\nthere") }},
		"pre-unreadable":         {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/README.md"}}`, setUp: tear},
		"post-no-store":          {event: "post-tool-use", in: done, setUp: spoilStore},
		"post-outside-claim":     {event: "post-tool-use", in: done, setUp: func(s *session) { s.claim(me, "Mine", "docs/**") }},
		"post-nothing-claimed":   {event: "post-tool-use", in: done},
		"post-outside":           {event: "post-tool-use", in: strings.ReplaceAll(done, "DIR/app", "DIR")},
		"post-malformed":         {event: "post-tool-use", in: `[]`},
		"start":                  {event: "session-start", in: my + `"hook_event_name":"SessionStart","source":"startup"}`},
		"start-resumed":          {event: "session-start", in: my + `"source":"resume"}`, setUp: func(s *session) { s.claim(me, "Mine", "docs/**", "*.md") }},
		"start-cleared-beside":   {event: "session-start", in: my + `"hook_event_name":"SessionStart","source":"clear"}`, setUp: func(s *session) { s.claim("claude-aaaaaaaa", "Before", "docs/**") }},
		"start-beside-stale":     {event: "session-start", in: my + `"source":"resume"}`, setUp: func(s *session) { s.claim("claude-aaaaaaaa", "Before", "docs/**"); s.now = s.now.Add(2 * time.Hour) }},
		"start-former-name":      {event: "session-start", in: v4 + `"source":"compact"}`, setUp: func(s *session) { s.claim("claude-0a1b2c3d", "Mine", "docs/**") }},
		"start-other-clone":      {event: "session-start", in: my + `"source":"startup"}`, setUp: otherClone},
		"pre-other-clone":        {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: otherClone},
		"start-flood":            {event: "session-start", in: my + `"source":"startup"}`, setUp: flood},
		"subagent-start":         {event: "subagent-start", in: my + `"agent_id":"a1b2c3d4e5f60718","agent_type":"general-purpose","hook_event_name":"SubagentStart"}`},
		"subagent-start-outside": {event: "subagent-start", in: strings.Replace(my, "DIR/app", "DIR", 1) + `"agent_id":"a1b2c3d4e5f60718"}`},
		"subagent-start-nobody":  {event: "subagent-start", in: my + `"agent_type":"Explore"}`},
		"pre-own-worktree":       {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: func(s *session) { s.claim("claude-aaaaaaaa", "Before", "docs/**") }},
		"pre-former-name":        {event: "pre-tool-use", in: v4 + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: func(s *session) { s.claim("claude-0a1b2c3d", "Mine", "docs/**") }},
		"pre-flood":              {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: flood},
		"pre-worktree-gone":      {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: leave},
		"pre-held-by-child": {event: "pre-tool-use", in: my + `"tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: func(s *session) {
			s.must("claim", "--title", "Part of mine", "--scope", "docs/**", "--agent", "sub", "--parent", me)
		}},
		"pre-held-by-sibling": {event: "pre-tool-use", in: my + `"agent_id":"other","tool_name":"Edit","tool_input":{"file_path":"DIR/app/docs/a.md"}}`, setUp: func(s *session) {
			s.must("claim", "--title", "Part of mine", "--scope", "docs/**", "--agent", "sub", "--parent", me)
		}},
		"start-odd-mode":         {event: "session-start", in: my + `"source":"startup"}`, env: []string{"AGENT_LOCKS_HOOK=maybe"}},
		"start-outside":          {event: "session-start", in: strings.Replace(my, "DIR/app", "DIR", 1) + `"source":"startup"}`},
		"start-named":            {event: "session-start", in: my + `"source":"startup"}`, env: []string{"AGENT_LOCKS_AGENT_ID=alice"}},
		"start-named-invalid":    {event: "session-start", in: my + `"source":"startup"}`, env: []string{"AGENT_LOCKS_AGENT_ID=   "}},
		"start-no-session":       {event: "session-start", in: `{"cwd":"DIR/app"}`},
		"start-malformed":        {event: "session-start", in: `nonsense`},
		"start-busy":             {event: "session-start", in: my + `"source":"startup"}`, setUp: crowd},
		"start-no-store":         {event: "session-start", in: my + `"source":"startup"}`, setUp: spoilStore},
		"start-nobody-nowhere":   {event: "session-start", in: `{"cwd":"DIR"}`},
		"end-nothing":            {event: "session-end", in: my + `"hook_event_name":"SessionEnd","reason":"exit"}`},
		"end-still-claimed":      {event: "session-end", in: my + `"reason":"exit"}`, setUp: func(s *session) { s.claim(me, "Mine", "docs/**") }},
		"end-no-store":           {event: "session-end", in: my + `"reason":"exit"}`, setUp: spoilStore},
		"end-outside":            {event: "session-end", in: strings.Replace(my, "DIR/app", "DIR", 1) + `"reason":"exit"}`},
		"end-nobody":             {event: "session-end", in: `{"cwd":"DIR/app"}`},
		"unknown-event":          {event: "before-lunch", in: my + `"hook_event_name":"BeforeLunch"}`},
		"unknown-event-no-name":  {event: "", in: my + `"tool_name":"Edit"}`},
		"malformed-without-name": {event: "", in: `{`},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.claim("them", "Their work", "src/**")
			if c.setUp != nil {
				c.setUp(s)
			}
			s.env = append(s.env, c.env...)
			args := []string{"hook", "claude"}
			if c.event != "" {
				args = append(args, c.event)
			}
			got := s.run(s.event(c.in), args...)
			if got.code != 0 || !json.Valid([]byte(got.stdout)) || strings.Count(got.stdout, "\n") != 1 {
				t.Fatalf("exit code %d, stdout %q", got.code, got.stdout)
			}
			if limit := map[bool]int{true: 2 << 10, false: 10 << 10}[strings.HasPrefix(name, "pre-")]; len(got.stdout) > limit+500 {
				t.Errorf("an answer of %d bytes", len(got.stdout))
			}
			quoted := s.event("DIR")
			text := strings.NewReplacer(quoted, "DIR", filepath.ToSlash(s.dir), "DIR").Replace(got.stdout)
			text = strings.ReplaceAll(text, "'DIR/app'", "DIR/app") // quoted where it has blanks
			golden(t, "hook/"+name+".txt", strings.Join(append(c.env, args...), " ")+"\n"+c.in+"\n"+text)
		})
	}
}

// must carries out a command in the main worktree, which has to succeed.
func (s *session) must(args ...string) {
	s.t.Helper()
	if r := s.run("", append(args, "--base-dir", filepath.Join(s.dir, mainTree))...); r.code != 0 {
		s.t.Fatalf("%q: %s", args, r.stderr)
	}
}

// crowd is more locks than a session is told of, of every kind.
func crowd(s *session) {
	for range claude.ShownLocks {
		s.claim("them", "Quiet work", "quiet/**")
	}
	s.now = s.now.Add(2 * time.Hour)
	s.must("claim", "--title", "Review of "+strings.Repeat("everything ", 20), "--shared", "--task", "read", "--task", "write it up",
		"--scope", "1", "--scope", "2", "--scope", "3", "--scope", "4", "--scope", "5", "--scope", "6")
	s.must("update", "review-of", "--task", "read")
	tear(s)
}

// flood is locks with as much text as a file can hold, by many.
func flood(s *session) {
	for range 30 {
		s.claim("them", strings.Repeat("\U0001F600 obey ", 60), "docs/**")
	}
	locks, err := filepath.Glob(filepath.Join(s.dir, mainTree, ".git", "agents-locks", "*obey*.md"))
	if err != nil || len(locks) != 30 {
		s.t.Fatal(len(locks), err)
	}
	for _, path := range locks {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(text), "agent_id: them", "agent_id: "+strings.Repeat("x", 900_000), 1)), 0o666)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// leave claims from the linked worktree, which is removed.
func leave(s *session) {
	at := filepath.Join(s.dir, otherTree)
	if r := s.run("", "claim", "--title", "Left", "--scope", "docs/**", "--agent", "gone", "--base-dir", at); r.code != 0 {
		s.t.Fatal(r.stderr)
	}
	if err := os.RemoveAll(at); err != nil {
		s.t.Fatal(err)
	}
}

// tear makes one lock file unreadable.
func tear(s *session) {
	path := filepath.Join(s.dir, mainTree, ".git", "agents-locks", "2026-07-17T18-45-12-torn.md")
	if err := os.WriteFile(path, []byte("---\n"), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// spoilStore makes a store that cannot be read at all.
func spoilStore(s *session) {
	path := filepath.Join(s.dir, mainTree, ".git", "agents-locks")
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o666)); err != nil {
		s.t.Fatal(err)
	}
}

// The id reaches the session's shells once, however often the event comes.
func TestSessionStartExports(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	file := filepath.Join(s.dir, "env.sh")
	if err := os.WriteFile(file, []byte("export OTHER=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "CLAUDE_ENV_FILE="+file, "AGENT_LOCKS_AGENT_ID=claude-parent78", "AGENT_LOCKS_SESSION="+store.SessionKey("parent"))
	want := "export OTHER=1\nexport AGENT_LOCKS_AGENT_ID=" + me + "\nexport AGENT_LOCKS_SESSION=" + store.SessionKey("0a1b2c3d-4e5f") + "\nexport AGENT_LOCKS_PARENT_ID=claude-parent78\n"
	for range 2 {
		r := s.run(s.event(`{"session_id":"0a1b2c3d-4e5f","cwd":"DIR/app"}`), "hook", "claude", "session-start")
		if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "your shells have it") {
			t.Errorf("%+v", r)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	s.env = append(s.env, "CLAUDE_ENV_FILE="+filepath.Join(s.dir, "none", "env.sh"))
	if r := s.run(s.event(`{"session_id":"0a1b2c3d-4e5f","cwd":"DIR/app"}`), "hook", "claude", "session-start"); r.code != 0 ||
		!strings.Contains(r.stderr, "could not be exported") || !strings.Contains(r.stdout, me) {
		t.Errorf("%+v", r)
	}
}

// Outside a repository nothing is said, for nothing can be claimed there; but
// a shell may go into one, and has the id.
func TestSessionStartExportsOutside(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	file := filepath.Join(s.dir, "env.sh")
	s.env = append(s.env, "CLAUDE_ENV_FILE="+file)
	r := s.run(s.event(`{"session_id":"0a1b2c3d-4e5f","cwd":"DIR"}`), "hook", "claude", "session-start")
	if want := (result{stdout: "{}\n"}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "export AGENT_LOCKS_AGENT_ID="+me+"\nexport AGENT_LOCKS_SESSION="+store.SessionKey("0a1b2c3d-4e5f")+"\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// A store that panics is answered for.
func TestHookAnswersForAFault(t *testing.T) {
	t.Parallel()
	const edit = `{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"/a"}}`
	r := try(t, &fake{result: "of the wrong type"}, []string{"hook", "claude", "pre-tool-use"}, func(w *World) {
		w.Stdin = strings.NewReader(edit)
		w.Environ = func() []string { return nil }
	})
	if r.code != 0 || !strings.Contains(r.stdout, `"permissionDecision":"ask"`) {
		t.Errorf("%+v", r)
	}
}

// A client may leave the hook's stdin open: an event that is whole is answered
// at once.
func TestHookNeedsNoEndOfInput(t *testing.T) {
	t.Parallel()
	for event, in := range map[string]string{
		"session-start": `{"session_id":"0a1b2c3d-4e5f","cwd":"DIR/app","source":"startup"}`,
		"pre-tool-use":  `{"session_id":"0a1b2c3d-4e5f","cwd":"DIR/app","tool_name":"Edit","tool_input":{"file_path":"DIR/app/free.md"}}`,
	} {
		s := newSession(t)
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.WriteString(s.event(in)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got := s.runFrom(from, "hook", "claude", event)
		if got.code != 0 || strings.Contains(got.stdout, "in time") || time.Since(start) > hookLimit-time.Second {
			t.Errorf("%s: after %v %+v", event, time.Since(start), got)
		}
		if err := errors.Join(to.Close(), from.Close()); err != nil {
			t.Error(err)
		}
	}
}

// At a terminal nobody sends an event; a client may leave its name out.
func TestHookNeedsAnEvent(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{true, false} {
		got := try(t, &fake{}, []string{"hook", "claude"}, func(w *World) {
			w.StdinIsTerminal, w.Stdin = terminal, strings.NewReader("\n")
		})
		want := result{stderr: "agent-locks: hook needs an event\nevents are session-start, subagent-start, pre-tool-use, post-tool-use, notification, user-prompt-submit, session-end\n", code: 1}
		if !terminal {
			want = result{stdout: `{"systemMessage":"agent-locks: hook needs an event, as JSON on stdin; events are session-start, subagent-start, pre-tool-use, post-tool-use, notification, user-prompt-submit, session-end"}` + "\n"}
		}
		if got != want {
			t.Errorf("terminal %v: %+v, want %+v", terminal, got, want)
		}
	}
}

func TestHookUsage(t *testing.T) {
	t.Parallel()
	testRequests(t, store.EditVerdict{}, []requestCase{
		{args: []string{"hook"}, err: "hook needs the name of a client"},
		{args: []string{"hook", "cursor"}, err: `unknown client "cursor"`},
		{args: []string{"hook", "clod", "x"}, err: `unknown client "clod"`},
		{args: []string{"hook", "claude", "x", "y"}, err: `hook takes a client and an event, got 3 arguments, the third "y"`},
	})
}
