package manpage

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// hostile is a program whose texts have everything that roff takes for its own.
func hostile() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "prog", Short: "does .things", Long: ".B is no request\n'nor is this one\nC:\\dir\\new -x ~ ^ `q` \"w\"\n\n" +
		"See:\n  .first   line\n  'second' line", Run: run}
	sub := &cobra.Command{Use: "sub [.file]", Short: "a-b", Example: "  prog sub '.x' \\\n  .y", Run: run}
	sub.Flags().String("out", "a\\b", "where `file` goes: a name that begins with\n.dot, ü or 'quote'")
	root.AddGroup(&cobra.Group{ID: "empty", Title: "Never:"}, &cobra.Group{ID: "daily", Title: "Every day:"})
	daily := &cobra.Command{Use: "daily", Short: "grouped", GroupID: "daily", Run: run}
	root.AddCommand(daily, sub, &cobra.Command{Use: "secret", Short: "hidden", Hidden: true, Run: run})
	return root
}

func manual() Manual {
	return Manual{Version: "v1.2.3", Date: time.Date(2026, 7, 17, 23, 0, 0, 0, time.UTC), SeeAlso: []string{"git(1)"},
		Notes: "Exit codes:\n  0    success\n  1    an error,\n       or two\n\nEnvironment:\n  X_Y  a word"}
}

func TestPagesAreOfWhatHelpShows(t *testing.T) {
	t.Parallel()
	pages := manual().Pages(hostile())
	if len(pages) != 3 || pages[0].Name != "prog.1" || pages[1].Name != "prog-daily.1" || pages[2].Name != "prog-sub.1" {
		t.Fatalf("%+v", pages)
	}
	for _, c := range []struct{ page, want string }{
		{pages[0].Text, ".TH \"PROG\" 1 2026-07-17 \"prog v1.2.3\" \"Manual of prog\"\n"},
		{pages[0].Text, ".SH \"NAME\"\nprog \\- does .things\n"},
		{pages[0].Text, "\\&.B is no request\n.br\n\\(aqnor is this one\n.br\nC:\\edir\\enew \\-x \\(ti \\(ha \\(gaq\\(ga \\(dqw\\(dq\n.PP\n"},
		{pages[0].Text, "See:\n.RS 4\n.nf\n\\&.first   line\n\\(aqsecond\\(aq line\n.fi\n.RE\n"},
		{pages[0].Text, ".SH \"COMMANDS\"\n.TP\n\\fBprog\\-sub\\fR(1)\na\\-b\n" +
			".SS \"Every day\"\n.TP\n\\fBprog\\-daily\\fR(1)\ngrouped\n.SH"},
		{pages[0].Text, ".SH \"EXIT CODES\"\n.TP\n\\fB0\\fR\nsuccess\n.TP\n\\fB1\\fR\nan error,\nor two\n.SH \"ENVIRONMENT\"\n.TP\n\\fBX_Y\\fR\na word\n"},
		{pages[0].Text, ".SH \"SEE ALSO\"\n\\fBgit\\fR(1)\n"},
		{pages[2].Text, ".SH \"SYNOPSIS\"\n\\fBprog sub\\fR [.file] [flags]\n.SH \"DESCRIPTION\"\nA\\-b.\n"},
		{pages[2].Text, "\\fB\\-\\-out\\fR \\fIfile\\fR\nwhere file goes: a name that begins with\n\\&.dot, \\[u00FC] or \\(aqquote\\(aq (default \\(dqa\\e\\eb\\(dq)\n"},
		{pages[2].Text, "\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"},
		{pages[2].Text, "prog sub \\(aq.x\\(aq \\e\n\\&.y\n"},
		{pages[2].Text, ".SH \"SEE ALSO\"\n\\fBprog\\fR(1)\n"},
	} {
		if !strings.Contains(c.page, c.want) {
			t.Errorf("no %q in\n%s", c.want, c.page)
		}
	}
}

func TestFilledLinesBeginWithNoRequest(t *testing.T) {
	t.Parallel()
	text := filled(strings.Repeat(".word ", 40))
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, `\&.`) || len(l) > 81 {
			t.Errorf("%q", l)
		}
	}
	if got := strings.Count(text, ".word"); got != 40 {
		t.Errorf("%d words", got)
	}
}

// What reads the pages finds no fault, and shows the texts as they are.
func TestPagesRender(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, reader := range [][]string{
		{"man", "--warnings", "--encoding=UTF-8", "-l", "-"},
		{"groff", "-man", "-ww", "-Tutf8"},
		{"mandoc", "-Tlint", "-Wstyle"},
	} {
		if _, err := exec.LookPath(reader[0]); err != nil {
			t.Logf("%s is not installed", reader[0])
			continue
		}
		if reader[0] == "man" && exec.Command("man", "--warnings", "--version").Run() != nil {
			t.Log("this man is not man-db's")
			continue
		}
		for _, p := range manual().Pages(hostile()) {
			cmd := exec.Command(reader[0], reader[1:]...)
			var out, faults bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.Text), &out, &faults
			if err := cmd.Run(); err != nil || faults.Len() > 0 || reader[0] == "mandoc" && out.Len() > 0 {
				t.Errorf("%s of %s: %v\n%s%s\n%s", reader[0], p.Name, err, &faults, &out, p.Text)
			}
			if want := `C:\dir\new -x ~ ^ ` + "`q` \"w\""; reader[0] == "man" && p.Name == "prog.1" && !strings.Contains(out.String(), want) {
				t.Errorf("man does not show %s:\n%s", want, &out)
			}
		}
	}
}
