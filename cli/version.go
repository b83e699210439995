package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// A build describes what this binary was made from, as recorded by the go
// command.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    "Print the version, and what this binary was built from.",
		Example: "  agent-locks version",
		Args:    noArgs(""),
		RunE:    func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

func runVersion(a *app) error {
	b := thisBuild()
	if a.json {
		return a.printJSON(b)
	}
	fmt.Fprintln(a.out, b)
	return a.flush()
}

func thisBuild() build {
	info, _ := debug.ReadBuildInfo() // nil if the binary was built without modules
	return describe(info)
}

func describe(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	text := []string{"agent-locks", b.Version}
	if b.Commit != "" {
		text = append(text, b.Commit[:min(12, len(b.Commit))])
	}
	if b.Modified {
		text = append(text, "modified")
	}
	return strings.Join(append(text, b.Go, b.Platform), " ")
}
