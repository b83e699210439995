package setup

import (
	"strings"
	"testing"
)

// A server is set up for all tools where that is asked for; one that is there is
// changed only then, and nothing else of it.
func TestToolsThatAServerOffers(t *testing.T) {
	t.Parallel()
	const (
		few = `"args": ["serve"]`
		all = `"args": ["serve", "--tools", "all"]`
	)
	entry := func(args string) string {
		return `{"mcpServers": {"agent-locks": {` + args + `, "command": "agent-locks", "type": "local", "x": 1}}}`
	}
	for _, c := range []struct{ tools, before, after string }{
		{"", entry(few), entry(few)}, {"", entry(all), entry(all)},
		{ToolsDefault, entry(few), entry(few)}, {ToolsDefault, entry(all), entry(few)},
		{ToolsAll, entry(few), entry(all)}, {ToolsAll, entry(all), entry(all)},
	} {
		after, err := add([]byte(c.before), server("mcpServers", policy{tools: c.tools}))
		if want := strings.Replace(c.after, "local", "stdio", 1); err != nil || string(after) != want {
			t.Errorf("%q: %s became %s, %v; want %s", c.tools, c.before, after, err, want)
		}
		if again, err := add(after, server("mcpServers", policy{tools: c.tools})); err != nil || string(again) != string(after) {
			t.Errorf("%q, again: %s, %v", c.tools, again, err)
		}
		if left, err := take(after, server("mcpServers", policy{})); err != nil || strings.Contains(string(left), "agent-locks") {
			t.Errorf("removed: %s, %v", left, err)
		}
	}
	fresh, err := add(nil, server("mcpServers", policy{tools: ToolsAll}))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(fresh)), " "), `"args": [ "serve", "--tools", "all" ]`) {
		t.Errorf("%s, %v", fresh, err)
	}
	own := []byte(entry(`"args": ["serve", "--x"]`))
	if after, err := add(own, server("mcpServers", policy{private: true})); err != nil || !strings.Contains(string(after), "--x") {
		t.Errorf("%s, %v", after, err)
	}
	if _, err := add(own, server("mcpServers", policy{private: true, tools: ToolsAll})); err == nil || !strings.Contains(err.Error(), "other arguments") {
		t.Errorf("arguments of the user's own: %v", err)
	}
	for _, i := range Instructions() {
		said := i.Offering(ToolsAll)
		if !strings.Contains(said.Add, `"serve", "--tools", "all"]`) || said.Shell != "" && !strings.HasSuffix(said.Shell, " -- agent-locks serve --tools all") ||
			i.Offering("") != i {
			t.Errorf("%s: %+v", i.Client, said)
		}
	}
}
