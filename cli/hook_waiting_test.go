package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// marked are the titles of the locks that wait for a person.
func (s *session) marked() []string {
	s.t.Helper()
	r := s.run("", "list", "--json", "--base-dir", filepath.Join(s.dir, mainTree))
	var locks []store.Summary
	if err := json.Unmarshal([]byte(r.stdout), &locks); err != nil {
		s.t.Fatalf("%v: %+v", err, r)
	}
	titles := []string{}
	for _, l := range locks {
		if l.WaitingForPerson != "" {
			titles = append(titles, l.Title)
		}
	}
	slices.Sort(titles)
	return titles
}

// waits sends the event that the client notified the person.
func (s *session) waits(id, more string) {
	s.t.Helper()
	event := s.event(fmt.Sprintf(`{"session_id":%q,"cwd":"DIR/app","hook_event_name":"Notification","message":"m"%s}`, id, more))
	if r := s.run(event, "hook", "claude", "notification"); r.stdout != "{}\n" || r.stderr != "" || r.code != 0 {
		s.t.Fatalf("%+v", r)
	}
}

func TestNotificationsMarkTheSessionsLocks(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	s.waits("0a1b2c3d-4e5f", "") // nothing is claimed, and there is no store
	s.claim(me, "Mine", "src/**")
	s.claim(me, "Mine, too", "docs/**")
	s.claim("them", "Theirs", "lib/**")
	s.claim("sub-1", "Part", "part/**")
	files := func() string {
		all := ""
		found, err := filepath.Glob(filepath.Join(s.dir, mainTree, ".git", "agents-locks", "*.md"))
		if err != nil || len(found) != 4 {
			t.Fatal(found, err)
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
		return all
	}
	before := files()
	s.now = s.now.Add(time.Minute)
	for _, kind := range []string{"auth_success", "elicitation_complete", "elicitation_response"} {
		s.waits("0a1b2c3d-4e5f", fmt.Sprintf(`,"notification_type":%q`, kind))
	}
	if got := files(); got != before {
		t.Errorf("what asks for nothing wrote\n%s", got)
	}
	s.waits("0a1b2c3d-4e5f", `,"notification_type":"permission_prompt"`)
	if got := s.marked(); !slices.Equal(got, []string{"Mine", "Mine, too"}) {
		t.Errorf("marked are %q", got)
	}
	const mark = "waiting_for_person: 2026-07-17T18-46-12\n"
	if got := files(); strings.ReplaceAll(got, mark, "") != before || strings.Count(got, mark) != 2 {
		t.Errorf("the files are\n%s", got)
	}
	s.now = s.now.Add(time.Minute) // since when it waits stays
	s.waits("0a1b2c3d-4e5f", "")
	if got := files(); strings.Count(got, mark) != 2 {
		t.Errorf("marked again, the files are\n%s", got)
	}
	s.waits("0a1b2c3d-4e5f", `,"agent_id":"sub-1"`)
	if got := s.marked(); !slices.Equal(got, []string{"Mine", "Mine, too", "Part"}) {
		t.Errorf("with a subagent's, marked are %q", got)
	}
}

// Whatever the session does next takes the mark off; what others do does not.
func TestTheNextEventTakesTheMarkOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	edit := `,"tool_name":"Edit","tool_input":{"file_path":"DIR/app/src/a.go"}`
	main := func(s *session) string { return filepath.Join(s.dir, mainTree) }
	event := func(name, id, more string) func(*session) {
		return func(s *session) {
			s.run(s.event(fmt.Sprintf(`{"session_id":%q,"cwd":"DIR/app"%s}`, id, more)), "hook", "claude", name)
		}
	}
	command := func(args ...string) func(*session) {
		return func(s *session) { s.must(append(args, "--base-dir", main(s))...) }
	}
	mine := "0a1b2c3d-4e5f"
	for name, c := range map[string]struct {
		next  func(*session)
		stays bool
	}{
		"session-start":         {next: event("session-start", mine, `,"source":"resume"`)},
		"subagent-start":        {next: event("subagent-start", mine, `,"agent_id":"sub-1"`)},
		"pre-tool-use":          {next: event("pre-tool-use", mine, edit)},
		"post-tool-use":         {next: event("post-tool-use", mine, edit)},
		"session-end":           {next: event("session-end", mine, `,"reason":"exit"`)},
		"a heartbeat":           {next: command("heartbeat", "2026-07-17T18-45-12-mine", "--agent", me)},
		"an update":             {next: command("update", "2026-07-17T18-45-12-mine", "--note", "n", "--agent", me)},
		"the end":               {next: command("finish", "2026-07-17T18-45-12-mine", "--agent", me)},
		"handing over":          {next: command("update", "2026-07-17T18-45-12-mine", "--hand-to", "heir", "--agent", me)},
		"another's edit":        {next: event("post-tool-use", "another", edit), stays: true},
		"another's start":       {next: event("session-start", "another", ""), stays: true},
		"another's note":        {next: command("tell", "2026-07-17T18-45-12-mine", "hi", "--agent", "them"), stays: true},
		"an edit of a subagent": {next: event("pre-tool-use", mine, `,"agent_id":"sub-1"`+edit), stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.claim(me, "Mine", "src/**")
			s.waits(mine, "")
			if got := s.marked(); len(got) != 1 {
				t.Fatalf("marked are %q", got)
			}
			c.next(s)
			if got := s.marked(); len(got) == 1 != c.stays {
				t.Errorf("marked are %q", got)
			}
		})
	}
}

// The person has answered: the prompt takes the mark off, and is not a heartbeat.
func TestAPromptTakesTheMarkOff(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.claim(me, "Mine", "src/**")
	s.waits("0a1b2c3d-4e5f", "")
	s.now = s.now.Add(time.Minute)
	prompt := func(id string) {
		t.Helper()
		event := s.event(fmt.Sprintf(`{"session_id":%q,"cwd":"DIR/app","hook_event_name":"UserPromptSubmit","prompt":"yes"}`, id))
		if r := s.run(event, "hook", "claude", "user-prompt-submit"); r.stdout != "{}\n" || r.stderr != "" || r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	prompt("another-session")
	if got := s.marked(); !slices.Equal(got, []string{"Mine"}) {
		t.Errorf("after somebody else's prompt, marked are %q", got)
	}
	prompt("0a1b2c3d-4e5f")
	if got := s.marked(); len(got) != 0 {
		t.Errorf("after the prompt, marked are %q", got)
	}
}
