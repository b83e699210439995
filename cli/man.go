package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/manpage"
	"github.com/agent-locks/agent-locks/cli/render"
)

func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man <directory>",
		Short: "write the manual pages",
		Long: "Write the manual pages into a directory, one for each command. Their date is\n" +
			"SOURCE_DATE_EPOCH if set, otherwise today.",
		Example: "  agent-locks man ~/.local/share/man/man1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage("as in agent-locks man ~/.local/share/man/man1", "man needs one directory")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return writeManual(a, cmd.Root(), args[0]) },
	}
}

func writeManual(a *app, root *cobra.Command, dir string) error {
	date, err := a.dateOfManual()
	if err != nil {
		return err
	}
	manual := manpage.Manual{
		Version: thisBuild().Version,
		Date:    date,
		Notes:   rootNotes,
		SeeAlso: []string{"git-worktree(1)", "githooks(5)"},
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files := []string{}
	for _, p := range manual.Pages(root) {
		file := filepath.Join(dir, p.Name)
		if err := os.WriteFile(file, []byte(p.Text), 0o666); err != nil {
			return err
		}
		files = append(files, file)
	}
	if a.json {
		return a.printJSON(files)
	}
	fmt.Fprintf(a.out, "wrote %d pages to %s\n", len(files), render.Plain(dir))
	return a.flush()
}

// dateOfManual returns SOURCE_DATE_EPOCH if it is set, so that a release's
// pages are reproducible (reproducible-builds.org/specs/source-date-epoch), and
// otherwise the current time.
func (a *app) dateOfManual() (time.Time, error) {
	epoch := a.getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return a.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, usage("it counts seconds since 1970, as git log -1 --format=%ct prints them",
			"SOURCE_DATE_EPOCH is %q", epoch)
	}
	return time.Unix(seconds, 0), nil
}
