package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// The events of a client's sessions, as it sends them.
func (s *session) startOf(id, source string) (said, agent string) {
	s.t.Helper()
	said = s.hook("session-start", fmt.Sprintf(`{"session_id":%q,"transcript_path":"/t.jsonl","cwd":"DIR/app","hook_event_name":"SessionStart","source":%q,"model":"m"}`, id, source))
	if m := regexp.MustCompile(`You are \\"([^\\]+)\\"`).FindStringSubmatch(said); m != nil {
		agent = m[1]
	}
	return said, agent
}

func (s *session) endOf(id, reason string) string {
	s.t.Helper()
	return s.hook("session-end", fmt.Sprintf(`{"session_id":%q,"cwd":"DIR/app","hook_event_name":"SessionEnd","reason":%q}`, id, reason))
}

// editBy is the answer to an edit of a file in the main worktree; subagent may
// be "".
func (s *session) editBy(id, subagent, file string) string {
	s.t.Helper()
	within := ""
	if subagent != "" {
		within = fmt.Sprintf(`"agent_id":%q,"agent_type":"general-purpose",`, subagent)
	}
	return s.hook("pre-tool-use", fmt.Sprintf(`{"session_id":%q,%s"cwd":"DIR/app","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"DIR/app/%s","old_string":"a","new_string":"b"},"tool_use_id":"t"}`, id, within, file))
}

func (s *session) hook(event, in string) string {
	s.t.Helper()
	r := s.run(s.event(in), "hook", "claude", event)
	if r.code != 0 || r.stderr != "" {
		s.t.Errorf("%s %s: %+v", event, in, r)
	}
	return r.stdout
}

const (
	first  = "0199c2f0-8d51-7aa1-8000-00000000000a"
	second = "0199c2f0-db71-7bb2-9000-00000000000b"
	third  = "0199c2f0-db71-7bb2-9000-00000000000c"
)

// A session that continues under another id is the same agent where exactly one
// session can be meant, and another one everywhere else.
func TestASessionThatGoesOnKeepsItsName(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		between func(*session)
		source  string
		same    bool
	}{
		"cleared":                           {func(s *session) { s.endOf(first, "clear") }, "clear", true},
		"cleared long ago":                  {func(s *session) { s.endOf(first, "clear"); s.now = s.now.Add(time.Hour) }, "clear", false},
		"cleared, and no end was told":      {func(*session) {}, "clear", false},
		"cleared, beside another":           {func(s *session) { s.startOf(third, "startup"); s.endOf(first, "clear") }, "clear", true},
		"two cleared at once":               {func(s *session) { s.startOf(third, "startup"); s.endOf(first, "clear"); s.endOf(third, "clear") }, "clear", false},
		"cleared, and taken up":             {func(s *session) { s.endOf(first, "clear"); s.startOf(third, "clear") }, "clear", false},
		"logged out":                        {func(s *session) { s.endOf(first, "logout") }, "clear", false},
		"compacted, beside a live one":      {func(*session) {}, "compact", false},
		"compacted, after its end":          {func(s *session) { s.endOf(first, "other") }, "compact", false},
		"resumed":                           {func(s *session) { s.endOf(first, "prompt_input_exit") }, "resume", true},
		"resumed while it lives":            {func(*session) {}, "resume", false},
		"resumed, and two may be meant":     {func(s *session) { s.startOf(third, "startup"); s.endOf(first, "other"); s.endOf(third, "other") }, "resume", false},
		"another conversation was taken up": {func(s *session) { s.endOf(first, "resume") }, "resume", false},
		"resumed, with locks of its own":    {func(s *session) { s.claim("claude-0000000b", "Own", "lib/**"); s.endOf(first, "other") }, "resume", false},
		"a new one":                         {func(s *session) { s.endOf(first, "other") }, "startup", false},
		"forked":                            {func(*session) {}, "fork", false},
		"without a source":                  {func(s *session) { s.endOf(first, "clear") }, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			_, was := s.startOf(first, "startup")
			s.claim(was, "Mine", "src/**")
			c.between(s)
			said, is := s.startOf(second, c.source)
			if (is == was) != c.same || is == "" {
				t.Fatalf("%q became %q: %s", was, is, said)
			}
			if apart := strings.Contains(said, "Made from this very worktree, under another id"); apart == c.same {
				t.Errorf("listed apart: %v\n%s", apart, said)
			}
			if again, _ := s.startOf(second, c.source); !strings.Contains(again, is) {
				t.Errorf("said once more: %s", again)
			}
			if got := s.editBy(second, "", "src/a"); (got == "{}\n") != c.same {
				t.Errorf("the edit: %s", got)
			}
		})
	}
}

// The same id is the same agent, however the session continues, and so is one
// whose name was passed on before.
func TestAResumedSessionKeepsItsName(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	_, was := s.startOf(first, "startup")
	s.endOf(first, "clear")
	s.startOf(second, "clear")
	s.endOf(second, "logout")
	for _, source := range []string{"resume", "compact", "startup", "fork"} {
		for _, id := range []string{first, second} {
			if _, is := s.startOf(id, source); is != was {
				t.Errorf("%s of %s: %q, want %q", source, id, is, was)
			}
			s.endOf(id, "other")
		}
	}
}

// Who holds files in one's own worktree is said, and the command that takes
// them over where nobody is known to be at work on them any more.
func TestALockOfAnotherSessionHere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const take = "agent-locks update 2026-07-17T18-45-12-mine --hand-to claude-0000000b --agent claude-0000000a"
	for name, c := range map[string]struct {
		between func(*session)
		want    string
		blocks  bool
	}{
		"live":  {func(*session) {}, "another live session in your worktree", true},
		"ended": {func(s *session) { s.endOf(first, "other") }, take, true},
		"stale": {func(s *session) { s.now = s.now.Add(2 * time.Hour) }, take, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			_, was := s.startOf(first, "startup")
			s.claim(was, "Mine", "src/**")
			c.between(s)
			said, _ := s.startOf(second, "startup")
			if !strings.Contains(said, c.want) || strings.Contains(said, take) != (c.want == take) {
				t.Errorf("at the start: %s", said)
			}
			denied := s.editBy(second, "", "src/a")
			if c.blocks && (!strings.Contains(denied, `"deny"`) || !strings.Contains(denied, "made from your own worktree") || !strings.Contains(denied, c.want)) || !c.blocks && strings.Contains(denied, `"deny"`) {
				t.Errorf("at the edit: %s", denied)
			}
			if c.want != take {
				return
			}
			s.must(strings.Fields(take)[1:]...)
			if got := s.editBy(second, "", "src/a"); got != "{}\n" {
				t.Errorf("after taking over: %s", got)
			}
		})
	}
}

// Two sessions of one worktree that are cleared at once: which one continues
// which work is not known, and is said. The first to take a lock over has it,
// and the other one hears whose it is.
func TestTwoSessionsClearedAtOnce(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const fourth = "0199c2f0-db71-7bb2-9000-00000000000d"
	s := newSession(t)
	_, one := s.startOf(first, "startup")
	_, two := s.startOf(second, "startup")
	s.claim(one, "One", "src/**")
	s.claim(two, "Two", "lib/**")
	s.endOf(first, "clear")
	s.endOf(second, "clear")
	for _, id := range []string{third, fourth} {
		said, is := s.startOf(id, "clear")
		denied := s.editBy(id, "", "src/a")
		if is == one || is == two || strings.Count(said, "nobody can tell whose work it is") != 2 || !strings.Contains(denied, "nobody can tell whose work it is") {
			t.Errorf("%s: %s\n%s", is, said, denied)
		}
		if want := "--hand-to " + is + " --agent " + one; !strings.Contains(said, want) || !strings.Contains(denied, want) {
			t.Errorf("%q is missing: %s\n%s", want, said, denied)
		}
	}
	take := func(to string) []string {
		return []string{"update", "2026-07-17T18-45-12-one", "--hand-to", to, "--agent", one, "--base-dir", filepath.Join(s.dir, mainTree)}
	}
	if r := s.run("", take("claude-0000000c")...); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := s.run("", take("claude-0000000d")...); r.code != 1 || !strings.Contains(r.stderr, `is held by "claude-0000000c"`) {
		t.Errorf("taken over twice: %+v", r)
	}
	if got := s.editBy(third, "", "src/a"); got != "{}\n" {
		t.Errorf("who took it over: %s", got)
	}
	if got := s.editBy(fourth, "", "src/a"); !strings.Contains(got, "claude-0000000c") || !strings.Contains(got, "another live session in your worktree") || strings.Contains(got, "--hand-to") {
		t.Errorf("the other one: %s", got)
	}
}

// Two live sessions in one worktree hear of each other, the one that came first
// as soon as it matters.
func TestTwoSessionsInOneWorktree(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	const mixed = "Edits and commits of all who share a worktree mix"
	if said, _ := s.startOf(first, "startup"); strings.Contains(said, mixed) {
		t.Errorf("alone: %s", said)
	}
	said, me := s.startOf(second, "startup")
	if !strings.Contains(said, mixed) {
		t.Errorf("%s", said)
	}
	if !strings.Contains(said, "Other live sessions in your worktree, without a claim so far: claude-0000000a.") {
		t.Errorf("%s", said)
	}
	s.claim(me, "Mine", "src/**")
	if got := s.editBy(first, "", "src/a"); !strings.Contains(got, "another live session in your worktree") {
		t.Errorf("%s", got)
	}
	s.endOf(first, "other")
	if said, _ := s.startOf(third, "startup"); strings.Contains(said, "0000000a") {
		t.Errorf("one that ended is called live: %s", said)
	}
}

// The first release's name keeps counting in its own worktree, and only there.
func TestTheFormerNameCountsInItsWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	const first, second, third = "11111111-8d51-4aa1-8000-00000000000a", "11111111-8d51-4aa1-8000-00000000000b", "11111111-8d51-4aa1-8000-00000000000c"
	const former = "claude-11111111"
	s.claim(former, "Mine", "src/**")
	if got := s.editBy(first, "", "src/a"); got != "{}\n" {
		t.Errorf("in its worktree: %s", got)
	}
	there := s.event(`{"session_id":"` + second + `","cwd":"DIR/app-login","tool_name":"Edit","tool_input":{"file_path":"DIR/app-login/src/a"}}`)
	if r := s.run(there, "hook", "claude", "pre-tool-use"); !strings.Contains(r.stdout, `"deny"`) {
		t.Errorf("in another one: %+v", r)
	}
	// One that continues can finish what it holds: it keeps that name.
	if said, is := s.startOf(first, "resume"); is != former || !strings.Contains(said, "You still hold") {
		t.Errorf("%s", said)
	}
	if said, is := s.startOf(third, "startup"); is != "claude-0000000c" {
		t.Errorf("%s", said)
	}
	// Another one that could have it does not share it, nor its locks.
	if said, is := s.startOf(second, "resume"); is != "claude-0000000b" {
		t.Errorf("%s", said)
	}
	if got := s.editBy(second, "", "src/a"); !strings.Contains(got, `"deny"`) {
		t.Errorf("%s", got)
	}
}

// Many sessions share the first characters of an id that begins with the time.
func TestNoFormerNameIsOfTheTime(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	s.claim("claude-"+first[:8], "Somebody's", "src/**")
	for _, id := range []string{first, second} {
		if said, is := s.startOf(id, "resume"); is == "claude-"+first[:8] || strings.Contains(said, "You still hold") {
			t.Errorf("%s", said)
		}
		if got := s.editBy(id, "", "src/a"); !strings.Contains(got, `"deny"`) {
			t.Errorf("%s", got)
		}
	}
}

// Of two live sessions only one goes by a name: one that comes back to its own,
// with which another continues, gets another, and may take over once that ended.
func TestNoTwoLiveSessionsShareAName(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, source := range []string{"clear", "resume"} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			_, was := s.startOf(first, "startup")
			s.claim(was, "Mine", "src/**")
			s.endOf(first, map[string]string{"clear": "clear", "resume": "other"}[source])
			if _, is := s.startOf(second, source); is != was {
				t.Fatalf("%q did not continue: %q", was, is)
			}
			for range 2 { // it stays who it is
				said, is := s.startOf(first, "resume")
				if is != was+"-2" || !strings.Contains(said, `You are no longer \"`+was+`\": another live session`) || strings.Contains(said, "--hand-to") {
					t.Errorf("%s", said)
				}
			}
			if got := s.editBy(second, "", "src/a"); got != "{}\n" {
				t.Errorf("who continues: %s", got)
			}
			if got := s.editBy(first, "", "src/a"); !strings.Contains(got, "another live session in your worktree") {
				t.Errorf("who came back: %s", got)
			}
			s.endOf(second, "other")
			const take = "--hand-to claude-0000000a-2 --agent claude-0000000a"
			if got := s.editBy(first, "", "src/a"); !strings.Contains(got, take) {
				t.Errorf("after the end: %s", got)
			}
			if said, _ := s.startOf(first, "compact"); strings.Contains(said, "no longer") || !strings.Contains(said, take) {
				t.Errorf("after the end: %s", said)
			}
			// Meanwhile whose name it was may come back, too.
			if _, is := s.startOf(second, "resume"); is != was {
				t.Errorf("%q", is)
			}
		})
	}
}

// A name that nobody has is taken back, and then it is the other one that comes
// back to another.
func TestTheOneThatWentOnComesBack(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	_, was := s.startOf(first, "startup")
	s.endOf(first, "clear")
	s.startOf(second, "clear")
	s.endOf(second, "other")
	if _, is := s.startOf(first, "resume"); is != was {
		t.Errorf("nobody has it, and it is %q", is)
	}
	if said, is := s.startOf(second, "resume"); is != "claude-0000000b" || strings.Contains(said, "as in the session") {
		t.Errorf("%s", said)
	}
	// Nor does a session that continues that one get the name of the live one.
	s.endOf(second, "clear")
	if _, is := s.startOf(third, "clear"); is == was {
		t.Errorf("%q", is)
	}
}

// A live session is nobody's to become, and who has locks is itself.
func TestACompactedSessionIsItself(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSession(t)
	_, other := s.startOf(first, "startup")
	s.claim(other, "Theirs", "src/**")
	s.claim("claude-0000000b", "Mine", "lib/**")
	if said, is := s.startOf(second, "compact"); is != "claude-0000000b" || !strings.Contains(said, "You still hold") {
		t.Errorf("%s", said)
	}
	if got := s.editBy(second, "", "src/a"); !strings.Contains(got, `"deny"`) {
		t.Errorf("%s", got)
	}
	if got := s.editBy(second, "", "lib/a"); got != "{}\n" {
		t.Errorf("%s", got)
	}
}

// What cannot be written, or is not ours, keeps no session from an answer.
func TestSessionsWithAStoreThatIsOdd(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"a file in its place": func(dir string) error { return os.WriteFile(dir, nil, 0o666) },
		"a link in its place": func(dir string) error { return os.Symlink("/", dir) },
		"hostile records": func(dir string) error {
			if err := os.Mkdir(dir, 0o777); err != nil {
				return err
			}
			for i, text := range []string{"", "{", "null", `{"agent_id":"a\nb"}`, `{"agent_id":"` + strings.Repeat("x", 900_000) + `"}`, strings.Repeat("[", 100_000)} {
				for _, key := range []string{fmt.Sprintf("%032d", i), store.SessionKey(first), store.SessionKey(second)} {
					if err := os.WriteFile(filepath.Join(dir, key+".json"), []byte(text), 0o666); err != nil {
						return err
					}
				}
			}
			return os.Mkdir(filepath.Join(dir, strings.Repeat("a", 32)+".json"), 0o777)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.claim("them", "Theirs", "src/**")
			if err := spoil(filepath.Join(s.dir, mainTree, ".git", "agents-locks", "sessions")); err != nil {
				t.Skip(err)
			}
			for _, c := range []struct{ event, part string }{
				{"session-start", `You are \"claude-0000000a\"`}, {"pre-tool-use", `"deny"`}, {"subagent-start", `You are \"sub-1\"`}, {"session-end", "{}"},
			} {
				r := s.run(s.event(fmt.Sprintf(`{"session_id":%q,"agent_id":"sub-1","source":"clear","reason":"clear","cwd":"DIR/app","tool_name":"Edit","tool_input":{"file_path":"DIR/app/src/a"}}`, first)), "hook", "claude", c.event)
				if r.code != 0 || !strings.Contains(r.stdout, c.part) || len(r.stdout)+len(r.stderr) > 4<<10 {
					t.Errorf("%s: %+v", c.event, r)
				}
			}
		})
	}
}

// A session that starts hears what is changed elsewhere in the files that it
// holds, as far as git can tell in a second.
func TestASessionHearsOfChangesElsewhere(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	_, agent := s.startOf(first, "startup")
	s.claim(agent, "Mine", "README.md", "new/**")
	if err := os.WriteFile(filepath.Join(s.dir, otherTree, "README.md"), []byte("other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = `changed without a lock in DIR/app-login (branch login): README.md\n`
	for range 100 { // the machine may be busy
		said, _ := s.startOf(first, "resume")
		if strings.Contains(strings.ReplaceAll(said, s.dir, "DIR"), "- "+want) {
			return
		}
	}
	t.Errorf("never said: %s", want)
}
