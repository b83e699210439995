//go:build !unix

package listen

import "net"

// maxSocket is how long a socket's path may be.
const maxSocket = 107

const noFollow = 0

func listenPrivately(path string) (net.Listener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// unsafe: this system's directories do not say who may write them.
func unsafe(string) string { return "" }
