// Package manpage generates a program's manual pages from its commands, in roff
// for man(7). The text comes from the commands' help, so nothing is written
// twice. It does no I/O and reads no clock.
package manpage

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Manual is what the pages of one program have in common.
type Manual struct {
	Version string
	Date    time.Time
	Notes   string   // blocks of "Heading:" and indented lines, for the main page
	SeeAlso []string // other pages, such as "git-worktree(1)", for the main page
}

// A Page is one manual page of section 1.
type Page struct {
	Name string // of the file
	Text string
}

// Pages returns the page of root and those of all commands below it that help shows.
func (m Manual) Pages(root *cobra.Command) []Page {
	pages := []Page{{title(root) + ".1", m.page(root)}}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			pages = append(pages, m.Pages(c)...)
		}
	}
	return pages
}

// title returns the name of a command's page.
func title(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func (m Manual) page(cmd *cobra.Command) string {
	var b strings.Builder
	program := cmd.Root().Name()
	date := m.Date.UTC().Format(time.DateOnly)
	fmt.Fprintf(&b, ".TH %s 1 %s %s %s\n", argument(strings.ToUpper(title(cmd))), date,
		argument(program+" "+m.Version), argument("Manual of "+program))
	section(&b, "NAME", filled(title(cmd)+" - "+cmd.Short))
	section(&b, "SYNOPSIS", synopsis(cmd))
	about := cmd.Long
	if about == "" {
		about = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	section(&b, "DESCRIPTION", prose(about))
	section(&b, "COMMANDS", subcommands(cmd))
	cmd.InitDefaultHelpFlag()
	section(&b, "OPTIONS", options(cmd.LocalNonPersistentFlags()))
	everywhere := cmd.InheritedFlags()
	if !cmd.HasParent() {
		everywhere = cmd.PersistentFlags()
	}
	section(&b, "OPTIONS OF EVERY COMMAND", options(everywhere))
	if cmd.Example != "" {
		section(&b, "EXAMPLES", literal(strings.Split(cmd.Example, "\n")))
	}
	if cmd.HasParent() {
		section(&b, "SEE ALSO", references(title(cmd.Parent())+"(1)"))
		return b.String()
	}
	for block := range strings.SplitSeq(m.Notes, "\n\n") {
		heading, lines, _ := strings.Cut(block, "\n")
		section(&b, strings.ToUpper(strings.TrimSuffix(heading, ":")), definitions(lines, bold))
	}
	section(&b, "SEE ALSO", references(m.SeeAlso...))
	return b.String()
}

// section writes a heading and its body, or nothing if the body is empty.
func section(b *strings.Builder, heading, body string) {
	if body != "" {
		fmt.Fprintf(b, ".SH %s\n%s", argument(heading), body)
	}
}

func synopsis(cmd *cobra.Command) string {
	arguments := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	return bold(cmd.CommandPath()) + escape(arguments) + "\n"
}

// subcommands lists commands by the groups that help uses, if any.
func subcommands(cmd *cobra.Command) string {
	var b strings.Builder
	for _, g := range append([]*cobra.Group{{}}, cmd.Groups()...) {
		heading := ""
		if g.Title != "" {
			heading = ".SS " + argument(strings.TrimSuffix(g.Title, ":")) + "\n"
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.GroupID == g.ID {
				b.WriteString(heading)
				heading = ""
				item(&b, bold(title(c))+"(1)", c.Short)
			}
		}
	}
	return b.String()
}

func options(flags *pflag.FlagSet) string { return definitions(flags.FlagUsages(), flag) }

func references(pages ...string) string {
	var marked []string
	for _, p := range pages {
		name, number, _ := strings.Cut(p, "(")
		marked = append(marked, bold(name)+"("+number)
	}
	return strings.Join(marked, ",\n") + "\n"
}
