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

// An identity is a session's id and parent, as far as its event and environment
// tell. The store may know more.
type identity struct {
	own    *string // from the client's session id; nil: unknown
	former *string // the id that the first release derived from the same session id
	agent  *string // the id chosen by the program that started the session, else own
	parent *string
}

// agentPrefix starts the ids of Claude Code sessions.
const agentPrefix = "claude-"

// identify determines a session's identity. If AGENT_LOCKS_AGENT_ID comes with
// the AGENT_LOCKS_SESSION of another session, our hook exported it there, and
// this session was started from one of that session's shells: then it is the
// parent. Its form proves nothing: somebody may have chosen the name
// claude-frontend. As everywhere else, a value that is not an agent id is
// ignored with a warning.
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

// sessionVariable says for which session AGENT_LOCKS_AGENT_ID was exported.
const sessionVariable = "AGENT_LOCKS_SESSION"

// uuid matches UUIDs whose end is random: versions 4 and 7. The start of
// version 7 is a time, and so the same for all sessions of one minute.
var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{4}([0-9a-f]{8})$")
})

// nameOf derives an agent id from a session id: claude- and the last 8 digits
// of a random UUID, or else a hash. It returns "" for a session without an id.
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

// formerName returns the name that the first release gave a session: claude-
// and the first 8 characters of its id. It counts only for a UUID of version 4,
// where they are random; ids that start with a time or a word have them in common.
func formerName(session string) string {
	if !uuid().MatchString(strings.ToLower(session)) || session[14] != '4' {
		return ""
	}
	return agentPrefix + session[:8]
}

// plainID matches ids that can be typed without quoting.
var plainID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$")
})

// subagentName returns a subagent's id: the client's id for it, which is
// random, or a hash of one that could not be typed. It returns "" for the
// session's main thread.
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

// session returns what the store needs to know about the event's session.
func (e *event) session() store.Session {
	return store.Session{ID: e.in.SessionID, Dir: e.in.Cwd, Former: e.who.former, Subagent: subagentName(e.in.AgentID)}
}

func (e *event) request(why string) store.SessionRequest {
	return store.SessionRequest{
		Target: e.target(), Session: e.session(), Why: why,
		OwnID: e.who.own, AgentID: e.who.agent, ParentAgentID: e.who.parent,
	}
}
