package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// An id another session's where our hook exported it, or remembers it as
// such; what it looks like says nothing.
func TestWhoseIDIsInTheEnvironment(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	_, parent := s.startOf(first, "startup")
	plain := s.env
	s.env = append(plain[:len(plain):len(plain)], "AGENT_LOCKS_AGENT_ID="+parent)
	if _, is := s.startOf(second, "startup"); is != "claude-0000000b" {
		t.Errorf("started from its shell: %q", is)
	}
	s.claim(parent, "Of the parent", "src/**")
	if got := s.editBy(second, "", "src/a"); got != "{}\n" {
		t.Errorf("a parent's lock blocks: %s", got)
	}
	s.env = append(plain[:len(plain):len(plain)], "AGENT_LOCKS_AGENT_ID=claude-frontend")
	for _, id := range []string{third, third[:35] + "d"} { // the second time it is remembered
		if _, is := s.startOf(id, "startup"); is != "claude-frontend" {
			t.Errorf("chosen: %q", is)
		}
	}
}

func TestSubagents(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	_, session := s.startOf(first, "startup")
	claim := func(agent, parent, scope string) {
		t.Helper()
		s.must("claim", "--title", "t", "--scope", scope, "--agent", agent, "--parent", parent)
	}
	claim("sub-1", session, "api/**")
	claim("worker", session, "web/**")
	claim("sub-1", "somebody", "cli/**")
	claim("worker", "somebody", "doc/**")
	s.claim(session, "Its own", "lib/**")
	begin := func(id string) {
		t.Helper()
		said := s.hook("subagent-start", fmt.Sprintf(`{"session_id":%q,"cwd":"DIR/app","hook_event_name":"SubagentStart","agent_id":%q,"agent_type":"Explore"}`, first, id))
		if !strings.Contains(said, fmt.Sprintf(`You are \"%s\", a subagent of \"%s\"`, id, session)) {
			t.Errorf("%s", said)
		}
	}
	check := func(subagent, file string, passes bool) {
		t.Helper()
		if got := s.editBy(first, subagent, file); (got == "{}\n") != passes {
			t.Errorf("%s edits %s: %s", subagent, file, got)
		}
	}
	check("sub-1", "api/x", true)  // its own
	check("sub-1", "cli/x", true)  // under its id, with any parent
	check("sub-1", "lib/x", true)  // its session's
	check("sub-2", "lib/x", true)  // its session's
	check("sub-2", "api/x", false) // a sibling's
	check("sub-2", "web/x", false) // perhaps a sibling's: nobody told of this one
	check("", "api/x", false)      // the session's own thread is apart from its subagents, as before
	begin("sub-1")
	begin("sub-2")
	check("sub-1", "api/x", true)
	check("sub-2", "api/x", false)
	check("sub-2", "web/x", true) // a name that it was given: no other subagent has it
	check("sub-2", "doc/x", false)
	check(strings.Repeat("x", 300), "lib/x", true)

	post := fmt.Sprintf(`{"session_id":%q,"agent_id":"sub-1","cwd":"DIR/app","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"DIR/app/api/x"}}`, first)
	s.now = s.now.Add(50 * time.Minute)
	if got := s.hook("post-tool-use", post); got != "{}\n" {
		t.Errorf("%s", got)
	}
	s.now = s.now.Add(50 * time.Minute)
	check("sub-2", "api/x", false) // the sibling's edit kept its lock alive
}
