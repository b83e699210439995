package server

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Property is one argument of a tool: its description for clients, and how
// its value is parsed.
type Property struct {
	Name        string
	Type        string // one plain JSON type: string, array, boolean, number or integer
	Items       string // the type of an array's items
	Description string
	Required    bool
	// NotEmpty says that "" is an error instead of an omission: a call with the
	// wrong target would look like a success.
	NotEmpty bool
	Empty    bool // "" is a value instead of an omission

	parse parser
}

func textArg(name, description string) Property {
	return Property{Name: name, Type: "string", Description: description, parse: parseText}
}

// orEmpty allows "" as a value.
func (p Property) orEmpty() Property {
	p.Empty = true
	return p
}

// orNumber also allows a number, which becomes its text.
func (p Property) orNumber() Property {
	p.parse = parseTextOrNumber
	return p
}

func listArg(name, description string) Property {
	return Property{Name: name, Type: "array", Items: "string", Description: description, parse: parseList}
}

// oneOrManyArg is declared as a string, but also accepts a list.
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

// Arguments that many tools share.

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

// declaration returns the tool as listed by tools/list.
func (t Tool) declaration() (*mcp.Tool, error) {
	schema, err := t.schema()
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	// Omit the destructive hint for tools that change nothing: each byte is
	// sent on every turn.
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

// schema is written by hand instead of being derived from the request types:
// strict hosts refuse a whole session because of type lists, anyOf or $ref, and
// a map would not keep the order of the properties.
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
