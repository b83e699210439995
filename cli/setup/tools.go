package setup

import (
	"fmt"
	"slices"
	"strings"
)

// Which tools the server offers.
const (
	ToolsDefault = "default"
	ToolsAll     = "all"
)

// CheckTools refuses any other value.
func CheckTools(tools string) error {
	if tools != ToolsDefault && tools != ToolsAll {
		return fmt.Errorf("%q is neither %s nor %s", tools, ToolsDefault, ToolsAll)
	}
	return nil
}

// serveArgs returns the program's arguments for offering these tools.
func serveArgs(tools string) []string {
	if tools == ToolsAll {
		return []string{"serve", "--tools", ToolsAll}
	}
	return []string{"serve"}
}

// servesOurs reports whether args are arguments that we write, for any choice of tools.
func servesOurs(args []string) bool {
	return slices.Equal(args, serveArgs(ToolsDefault)) || slices.Equal(args, serveArgs(ToolsAll))
}

// retool makes our entry offer the requested tools. If none were requested, the
// entry stays as it is.
func (p part) retool(doc []byte) ([]byte, error) {
	if p.tools == "" {
		return doc, nil
	}
	root, _, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, _, err := p.reach(root)
	if err != nil {
		return nil, err
	}
	i, _, err := find(at, p.name)
	if err != nil {
		return nil, err
	}
	entry := items(at)[i].value
	args := literals(entry, "args")
	if slices.Equal(args, serveArgs(p.tools)) {
		return doc, nil
	}
	v, found := value(entry, "args")
	if !found || !servesOurs(args) {
		return nil, &impostor{p.describe("starts agent-locks with other arguments: " + show(entry, args))}
	}
	return splice(doc, v.StartOffset, v.EndOffset, `["`+strings.Join(serveArgs(p.tools), `", "`)+`"]`), nil
}

// Offering returns the instruction for offering these tools.
func (i Instruction) Offering(tools string) Instruction {
	if tools != ToolsAll {
		return i
	}
	i.Add = strings.Replace(i.Add, `"serve"]`, `"serve", "--tools", "all"]`, 1)
	if strings.Contains(i.Shell, " -- ") { // otherwise the client may take it for its own flag
		i.Shell += " --tools all"
	} else {
		i.Shell = ""
	}
	return i
}
