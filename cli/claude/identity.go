package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// An identity is who a session is among agents as far as its event and its
// environment say; the store may remember more.
type identity struct {
	own    *string // by the client's id for the session; nil: unknown
	former *string // what the first release made of that
	agent  *string // what the program that started it chose, else own
	parent *string
}

// agentPrefix begins the ids of Claude Code sessions.
const agentPrefix = "claude-"

// identify reads an identity. An AGENT_LOCKS_AGENT_ID that came with another
// session's AGENT_LOCKS_SESSION was exported by our hook there, and this session
// was started from a shell of that one: that is its parent. What it looks like
// says nothing: claude-frontend is somebody's choice.
// A value that is not an agent id is ignored, with a warning, as everywhere else.
func identify(session string, getenv func(string) string, warn func([]string)) identity {
	read := func(variable string) string {
		value := getenv(variable)
		if value == "" {
			return ""
		}
		id, err := lockfile.CleanAgent(value)
		if err != nil {
			warn([]string{fmt.Sprintf("%s is ignored: %v", variable, err)})
		}
		return id
	}
	given, parent := read("AGENT_LOCKS_AGENT_ID"), read("AGENT_LOCKS_PARENT_ID")
	who := identity{own: optional(nameOf(session)), former: optional(formerName(session)), parent: optional(parent)}
	from := getenv(sessionVariable)
	switch {
	case given == "", from != "" && from == store.SessionKey(session) && who.own != nil:
		who.agent = who.own
	case from != "" && who.own != nil:
		who.agent, who.parent = who.own, &given
	default:
		who.agent = &given
	}
	return who
}

// sessionVariable says which session AGENT_LOCKS_AGENT_ID was exported for.
const sessionVariable = "AGENT_LOCKS_SESSION"

// uuid is the text of one whose end is random: of version 4 and 7, the time that
// the latter begins with is the same for all sessions of a minute.
var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{4}([0-9a-f]{8})$")
})

// nameOf is what a session is called: claude- and the last 8 digits of a random
// id, else a hash of all of it; "" for a session without one.
func nameOf(session string) string {
	if session == "" {
		return ""
	}
	if m := uuid().FindStringSubmatch(strings.ToLower(session)); m != nil {
		return agentPrefix + m[1]
	}
	sum := sha256.Sum256([]byte(session))
	return agentPrefix + hex.EncodeToString(sum[:4])
}

// formerName is what the first release called a session: its first 8 characters.
// That counts where they are random, in a UUID of version 4; those of an id that
// begins with the time, or with a word, many sessions share.
func formerName(session string) string {
	if !uuid().MatchString(strings.ToLower(session)) || session[14] != '4' {
		return ""
	}
	return agentPrefix + session[:8]
}

// plainID is an id that can be typed as it is, and passed on.
var plainID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$")
})

// subagentName is what a subagent is called: the client's id for it, which is
// random, or a hash where that could not be typed; "" for the session's own thread.
func subagentName(id string) string {
	if id == "" || plainID().MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return agentPrefix + "sub-" + hex.EncodeToString(sum[:4])
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// session is what the store needs of the session of an event.
func (e *event) session() store.Session {
	return store.Session{ID: e.in.SessionID, Dir: e.in.Cwd, Former: e.who.former, Subagent: subagentName(e.in.AgentID)}
}

func (e *event) request(why string) store.SessionRequest {
	return store.SessionRequest{
		Target: e.target(), Session: e.session(), Why: why,
		OwnID: e.who.own, AgentID: e.who.agent, ParentAgentID: e.who.parent,
	}
}
