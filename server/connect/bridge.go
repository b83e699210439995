package connect

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/server/stdio"
)

// A bridge forwards a client's messages to a listener, and the answers back.
type bridge struct {
	to  *Target
	log *slog.Logger

	mu      sync.Mutex
	version string                        // of the protocol, once negotiated
	open    map[string]context.CancelFunc // unanswered requests, by id
	all     sync.WaitGroup

	writing sync.Mutex
	out     io.Writer
	failed  error // the first failed write
	end     context.CancelFunc
}

// closeWithin bounds the attempt to tell the listener that its client has gone.
const (
	closeWithin = 5 * time.Second
	closeEvery  = 500 * time.Millisecond
)

// Bridge forwards messages until in ends and all requests are answered, or ctx
// is done; both are a normal end. If the listener cannot be reached, each
// request gets an error answer, and the next one tries again.
func Bridge(ctx context.Context, t *Target, in io.Reader, out io.Writer, log *slog.Logger) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	b := &bridge{to: t, log: log, open: map[string]context.CancelFunc{}, out: out, end: end}
	input := make(chan error, 1)
	go func() { input <- b.take(ctx, stdio.NewReader(in)) }()
	var err error
	select {
	case err = <-input:
		b.leave(ctx)
	case <-ctx.Done(): // reading the input cannot be interrupted
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	if b.failed != nil {
		return b.failed
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// take forwards the client's messages.
func (b *bridge) take(ctx context.Context, in stdio.Reader) error {
	for {
		m, no, err := in.Next()
		if err != nil {
			return err
		}
		b.print(no)
		if no != nil || m.Text == nil {
			continue
		}
		if m.Cancels != "" {
			b.mu.Lock()
			cancel := b.open[m.Cancels]
			b.mu.Unlock()
			if cancel != nil {
				cancel() // the listener notices that nobody waits for the answer
			}
		}
		during, cancel := context.WithCancel(ctx)
		if !b.begin(m, cancel) {
			cancel()
			b.print(stdio.InUse(m))
			continue
		}
		pass := func() {
			defer cancel()
			defer b.done(m)
			b.pass(during, m)
		}
		if m.Method == "initialize" { // later messages depend on its answer
			pass()
			continue
		}
		b.all.Go(pass)
	}
}

func (b *bridge) begin(m stdio.Message, cancel context.CancelFunc) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.ID == "" {
		return true
	}
	if b.open[m.ID] != nil {
		return false
	}
	b.open[m.ID] = cancel
	return true
}

func (b *bridge) done(m stdio.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, m.ID)
}

// leave tells the listener that the client will ask nothing more, which ends
// its waits, and waits for the outstanding answers.
func (b *bridge) leave(ctx context.Context) {
	answered := make(chan struct{})
	go func() { b.all.Wait(); close(answered) }()
	for {
		b.close(ctx) // repeatedly, since the last messages may arrive after it
		select {
		case <-answered:
			return
		case <-ctx.Done():
			return
		case <-time.After(closeEvery):
		}
	}
}

// close ends the session's waits at the listener.
func (b *bridge) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	if resp, err := b.to.send(ctx, http.MethodDelete, nil, nil); err == nil {
		resp.Body.Close()
	}
}

// pass sends one message and writes the answer.
func (b *bridge) pass(ctx context.Context, m stdio.Message) {
	resp, err := b.to.send(ctx, http.MethodPost, m.Text, b.header(m))
	if err != nil {
		b.fail(ctx, m, b.to.unreached(err))
		return
	}
	defer resp.Body.Close()
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		b.stream(ctx, m, resp.Body)
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
	switch {
	case err != nil:
		b.fail(ctx, m, b.to.unreached(err))
	case resp.StatusCode == http.StatusAccepted:
	case kind == "application/json" && answers(body):
		b.answer(m, body)
	default:
		b.fail(ctx, m, b.to.refused(resp.StatusCode, body))
	}
}

func (b *bridge) stream(ctx context.Context, m stdio.Message, body io.Reader) {
	answered := false
	for text, err := range events(body) {
		if err != nil {
			b.fail(ctx, m, b.to.unreached(err))
			return
		}
		answered = answered || answers(text)
		b.answer(m, text)
	}
	if !answered {
		b.fail(ctx, m, fmt.Sprintf("the listener at %s ended without an answer; lock_query shows whether it took effect",
			b.to.said))
	}
}

// fail answers a request that the listener did not answer, unless it was canceled.
func (b *bridge) fail(ctx context.Context, m stdio.Message, reason string) {
	if ctx.Err() != nil {
		return
	}
	b.log.Warn("a message was not passed on", "method", m.Method, "error", reason)
	b.print(m.Failed(reason))
}

func (b *bridge) answer(m stdio.Message, text []byte) {
	if m.Method == "initialize" {
		var said struct {
			Result struct{ ProtocolVersion string }
		}
		if json.Unmarshal(text, &said) == nil && said.Result.ProtocolVersion != "" {
			b.mu.Lock()
			b.version = said.Result.ProtocolVersion
			b.mu.Unlock()
		}
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		b.log.Warn("dropped what is not JSON", "error", err)
		return
	}
	b.print(line.Bytes())
}

// answers reports whether text is a response, as opposed to a notification.
func answers(text []byte) bool {
	var said struct {
		ID            json.RawMessage
		Result, Error json.RawMessage
	}
	return json.Unmarshal(text, &said) == nil && (said.Result != nil || said.Error != nil)
}

// print writes a line; nil is ignored.
func (b *bridge) print(text []byte) {
	if text == nil {
		return
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	if b.failed != nil {
		return
	}
	if _, err := b.out.Write(append(bytes.TrimRight(text, "\n"), '\n')); err != nil {
		b.failed = fmt.Errorf("writing to the client: %w", err)
		b.end()
	}
}

// withNames is the first protocol version in which headers repeat parts of the message.
const withNames = "2026-07-28"

// header returns the HTTP headers that the protocol requires for a message.
func (b *bridge) header(m stdio.Message) http.Header {
	h := http.Header{}
	var said struct {
		Params struct {
			Name string
			Meta map[string]any `json:"_meta"`
		}
	}
	_ = json.Unmarshal(m.Text, &said) // it has been parsed before, so it is an object
	version, _ := said.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	if version == "" {
		b.mu.Lock()
		version = b.version
		b.mu.Unlock()
	}
	if version == "" {
		return h
	}
	h.Set("Mcp-Protocol-Version", version)
	if version >= withNames && m.Method != "" {
		h.Set("Mcp-Method", m.Method)
		if said.Params.Name != "" {
			h.Set("Mcp-Name", inHeader(said.Params.Name))
		}
	}
	return h
}

// inHeader encodes a name for use in a header.
func inHeader(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) < 0 && strings.TrimSpace(name) == name &&
		!strings.HasPrefix(name, "=?base64?") {
		return name
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
}
