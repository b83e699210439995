package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools is a program for the scripts: "tools file" makes the calls that the
// file lists, one after another, in one session of agent-locks serve, and
// prints a line for each: ok, refused (a tool error) or error (the protocol's),
// and the text. Further blocks, and further lines of a text, follow indented.
// A call is a tool's name and its arguments in JSON, in which ${NAME} is the
// environment variable and ${long:N} a text of N bytes.
func tools() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := makeCalls(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

func makeCalls(ctx context.Context, file string) (err error) {
	calls, err := os.Open(file)
	if err != nil {
		return err
	}
	defer calls.Close()
	serve := exec.Command("agent-locks", "serve")
	serve.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "tools", Version: "0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: serve}, nil)
	if err != nil {
		return err
	}
	defer func() {
		if closed := session.Close(); err == nil {
			err = closed
		}
	}()
	for lines := bufio.NewScanner(calls); lines.Scan(); {
		if lines.Text() == "" {
			continue
		}
		name, args, _ := strings.Cut(lines.Text(), " ")
		params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(expand(args))}
		printAnswer(session.CallTool(ctx, params))
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{(\w+)(?::(\d+))?\}`)

// expand puts values into a JSON text, within its strings.
func expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		part := variable.FindStringSubmatch(found)
		if n, err := strconv.Atoi(part[2]); err == nil {
			return strings.Repeat("x", n)
		}
		quoted, err := json.Marshal(os.Getenv(part[1]))
		if err != nil {
			panic(err)
		}
		return string(quoted[1 : len(quoted)-1])
	})
}

func printAnswer(result *mcp.CallToolResult, err error) {
	if err != nil {
		fmt.Println("error", err)
		return
	}
	says := "ok"
	if result.IsError {
		says = "refused"
	}
	for _, block := range result.Content {
		text, ok := block.(*mcp.TextContent)
		if !ok {
			says += fmt.Sprintf(" %T", block)
			continue
		}
		fmt.Println(says, strings.ReplaceAll(text.Text, "\n", "\n  "))
		says = " "
	}
}
