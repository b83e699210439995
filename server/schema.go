package server

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Property is one argument of a tool: what clients read about it, and how
// its value is read.
type Property struct {
	Name        string
	Type        string // one plain JSON type: string, array, boolean, number or integer
	Items       string // the type of an array's items
	Description string
	Required    bool
	// NotEmpty: "" is an error and not an omission, since a call with the
	// wrong target would look like success.
	NotEmpty bool
	Empty    bool // "" is a value, and not an omission

	parse parser
}

func textArg(name, description string) Property {
	return Property{Name: name, Type: "string", Description: description, parse: parseText}
}

// orEmpty is a text that may be "".
func (p Property) orEmpty() Property {
	p.Empty = true
	return p
}

// orNumber is a text that may be sent as a number, and is then that number's text.
func (p Property) orNumber() Property {
	p.parse = parseTextOrNumber
	return p
}

func listArg(name, description string) Property {
	return Property{Name: name, Type: "array", Items: "string", Description: description, parse: parseList}
}

// oneOrManyArg is declared as a string, and takes a list as well.
func oneOrManyArg(name, description string) Property {
	return Property{Name: name, Type: "string", Description: description, parse: parseList}
}

func boolArg(name, description string) Property {
	return Property{Name: name, Type: "boolean", Description: description, parse: parseBool}
}

func numberArg(name, description string) Property {
	return Property{Name: name, Type: "number", Description: description, parse: parseNumber}
}

func countArg(name, description string) Property {
	return Property{Name: name, Type: "integer", Description: description, parse: parseCount}
}

func (p Property) required() Property {
	p.Required = true
	return p.notEmpty()
}

func (p Property) notEmpty() Property {
	p.NotEmpty = true
	return p
}

// The arguments that many tools share.

func baseDir() Property {
	return textArg("base_dir", "Path in the repository").notEmpty()
}

func lockID() Property {
	return textArg("lock_id", "May be shortened").required()
}

func caller() Property {
	return textArg("agent_id", "Your own id")
}

func force() Property {
	return boolArg("force", "Even if another agent holds it")
}

func lease(description string) Property {
	return numberArg("lease_minutes", description)
}

func staleMinutes() Property {
	return numberArg("stale_minutes", "Default 60")
}

// declaration is the tool as tools/list prints it.
func (t Tool) declaration() (*mcp.Tool, error) {
	schema, err := t.schema()
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	// Whether a tool that changes nothing is destructive is not said: each byte
	// is sent on every turn.
	openWorld, destructive := false, &t.Hints.Destructive
	if t.Hints.ReadOnly {
		destructive = nil
	}
	return &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.Hints.ReadOnly,
			DestructiveHint: destructive,
			IdempotentHint:  t.Hints.Idempotent,
			OpenWorldHint:   &openWorld,
		},
	}, nil
}

// schema is written by hand, and not inferred from the request types: strict
// hosts refuse a whole session for lists of types, anyOf or $ref, and a map
// would lose the order of the properties.
func (t Tool) schema() (json.RawMessage, error) {
	type item struct {
		Type string `json:"type"`
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range t.Properties {
		declared := struct {
			Type        string `json:"type"`
			Items       *item  `json:"items,omitempty"`
			Description string `json:"description"`
		}{Type: p.Type, Description: p.Description}
		if p.Items != "" {
			declared.Items = &item{p.Items}
		}
		value, err := json.Marshal(declared)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p.Name, value)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		names, err := json.Marshal(required)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,"required":%s`, names)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
