//go:build !unix

package listen

import "net"

// maxSocket is the maximum length of a socket's path.
const maxSocket = 107

const noFollow = 0

func listenPrivately(path string) (net.Listener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// unsafe: directories on this system do not say who may write to them.
func unsafe(string) string { return "" }
