package connect

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Seen is what Probe found out about a listener.
type Seen struct {
	Answers bool   // it is reachable and speaks HTTP
	Taken   bool   // the request was accepted, including the token and the host
	Status  int    // HTTP status
	Said    string // why the request was not accepted, in a sentence
	Name    string // of the server
	Version string
}

const probeWithin = 10 * time.Second

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"agent-locks doctor","version":"1"}}}`

// Probe asks a listener for its name and version. It reads no store.
func (t *Target) Probe(ctx context.Context) (Seen, error) {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	resp, err := t.send(ctx, http.MethodPost, []byte(hello), nil)
	if err != nil {
		return Seen{Said: t.unreached(err)}, nil
	}
	defer resp.Body.Close()
	seen := Seen{Answers: true, Status: resp.StatusCode}
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		seen.Said = t.refused(resp.StatusCode, body)
		return seen, err
	}
	seen.Taken = true
	var answer struct {
		Result struct {
			ServerInfo struct{ Name, Version string }
		}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for text, err := range events(resp.Body) {
			if err != nil || json.Unmarshal(text, &answer) == nil {
				break
			}
		}
	} else {
		_ = json.NewDecoder(io.LimitReader(resp.Body, maxEvent)).Decode(&answer) // if that fails, the name stays empty
	}
	seen.Name, seen.Version = answer.Result.ServerInfo.Name, answer.Result.ServerInfo.Version
	return seen, nil
}
