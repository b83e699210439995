package setup

import (
	"fmt"
	"slices"
	"strings"
)

// Which tools the server that is set up offers.
const (
	ToolsDefault = "default"
	ToolsAll     = "all"
)

// CheckTools refuses any other word.
func CheckTools(tools string) error {
	if tools != ToolsDefault && tools != ToolsAll {
		return fmt.Errorf("%q is neither %s nor %s", tools, ToolsDefault, ToolsAll)
	}
	return nil
}

// serveArgs are the arguments of the program that offers these tools.
func serveArgs(tools string) []string {
	if tools == ToolsAll {
		return []string{"serve", "--tools", ToolsAll}
	}
	return []string{"serve"}
}

// servesOurs reports whether arguments are those that we write, for whichever tools.
func servesOurs(args []string) bool {
	return slices.Equal(args, serveArgs(ToolsDefault)) || slices.Equal(args, serveArgs(ToolsAll))
}

// retool has an entry of ours offer the tools that were asked for. One that was not
// asked about them stays as it is.
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

// Offering is an instruction for these tools.
func (i Instruction) Offering(tools string) Instruction {
	if tools != ToolsAll {
		return i
	}
	i.Add = strings.Replace(i.Add, `"serve"]`, `"serve", "--tools", "all"]`, 1)
	if strings.Contains(i.Shell, " -- ") { // else the client may take it for a flag of its own
		i.Shell += " --tools all"
	} else {
		i.Shell = ""
	}
	return i
}
