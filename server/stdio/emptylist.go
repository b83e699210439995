package stdio

import (
	"encoding/json"
	"regexp"
)

// Clients in PHP write an empty object as [], since json_encode cannot know
// which of the two an empty array was meant to be.

var (
	emptyList   = regexp.MustCompile(`\[\s*\]`)
	emptyMember = regexp.MustCompile(`:\s*\[\s*\]`)
	objects     = regexp.MustCompile(`^(_meta|arguments|capabilities|clientInfo|notifications|` +
		`io\.modelcontextprotocol/client(Capabilities|Info))$`)
	capabilities = regexp.MustCompile(`(?i)capabilities$`)
)

// emptyObjects writes {} for each [] that stands for an object in the params of
// a request: for params itself, the objects in it and in its _meta, and whatever
// is in capabilities, which hold no lists. raw is the value of the member name.
func emptyObjects(name string, raw json.RawMessage) json.RawMessage {
	found := emptyList.FindIndex(raw)
	var members map[string]json.RawMessage
	switch {
	case found == nil:
		return raw
	case found[1]-found[0] == len(raw):
		return json.RawMessage("{}")
	case capabilities.MatchString(name):
		return emptyMember.ReplaceAll(raw, []byte(":{}"))
	case name != "params" && name != "_meta", json.Unmarshal(raw, &members) != nil:
		return raw
	}
	changed := false
	for key, value := range members {
		if objects.MatchString(key) {
			members[key] = emptyObjects(key, value)
			changed = changed || string(members[key]) != string(value)
		}
	}
	if !changed {
		return raw
	}
	raw, _ = json.Marshal(members) // cannot fail: they are JSON already
	return raw
}
