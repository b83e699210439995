package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// socketPrefix starts an address that is the path of a unix socket.
const socketPrefix = "unix:"

// An address is where to listen.
type address struct {
	socket string // absolute path; "": not a socket
	mode   fs.FileMode
	tcp    *net.TCPAddr
}

// socketMode is the default mode of a socket: accessible to the user alone.
const socketMode fs.FileMode = 0o600

const writeTokens = "write one to a private file, for example with (umask 077; openssl rand -hex 32 >tokens), " +
	"and name it with --token-file"

// where parses the address, and refuses one that must not be used without tokens.
func (c Config) where() (address, error) {
	if path, ok := strings.CutPrefix(c.Address, socketPrefix); ok {
		return c.socket(path)
	}
	if c.SocketMode != "" {
		return address{}, refusal("omit it, or --listen unix:PATH", "--socket-mode %q is for sockets, and %q is not one",
			c.SocketMode, c.Address)
	}
	host, port, err := net.SplitHostPort(c.Address)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return address{}, refusal("as in --listen unix:/run/user/1000/agent-locks.sock or --listen 127.0.0.1:8123",
			"--listen %q is neither unix:PATH nor HOST:PORT", c.Address)
	} else if host == "" {
		host = net.IPv6unspecified.String() // every address of the machine
		port = strconv.FormatUint(n, 10)
	}
	tcp, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return address{}, refusal("name an address of this machine, as 127.0.0.1", "--listen %q: %v", c.Address, err)
	}
	switch {
	case c.NoAuth && c.TokenFile != "":
		return address{}, refusal("omit one of them", "--token-file %q and --no-auth exclude each other",
			c.TokenFile)
	case c.NoAuth && !tcp.IP.IsLoopback():
		return address{}, refusal(writeTokens,
			"--no-auth is for loopback addresses (127.0.0.1), and %q can be reached from elsewhere", c.Address)
	case !c.NoAuth && c.TokenFile == "" && tcp.IP.IsLoopback():
		return address{}, refusal(writeTokens+"; on loopback --no-auth does without", "--listen %q needs tokens", c.Address)
	case !c.NoAuth && c.TokenFile == "":
		return address{}, refusal(writeTokens, "--listen %q needs tokens", c.Address)
	}
	return address{tcp: tcp}, nil
}

func (c Config) socket(path string) (address, error) {
	a := address{socket: path, mode: socketMode}
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return a, refusal("as in --listen unix:/run/user/1000/agent-locks.sock", "--listen %q names no path", c.Address)
	case c.NoAuth:
		return a, refusal("omit it: a socket requires a token only with --token-file",
			"--no-auth is for loopback addresses, and %q is a socket", c.Address)
	}
	if c.SocketMode != "" {
		mode, err := strconv.ParseUint(c.SocketMode, 8, 32)
		if err != nil || mode > 0o777 || mode&0o600 != 0o600 {
			return a, refusal("as in 600 for you alone, 660 for the group as well",
				"--socket-mode %q is not a mode in octal that lets its owner in", c.SocketMode)
		}
		a.mode = fs.FileMode(mode)
	}
	if !filepath.IsAbs(path) {
		wd, err := c.Getwd()
		if err != nil {
			return a, refusal("name the socket by an absolute path", "the working directory cannot be read: %v", err)
		}
		a.socket = filepath.Join(wd, path)
	}
	return a, nil
}

func refusal(hint, format string, values ...any) error {
	return &store.Error{Code: store.BadInput, Message: fmt.Sprintf(format, values...), Hint: hint}
}

// joined joins two errors, either of which may be nil.
func joined(a, b error) error {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return errors.Join(a, b)
}
