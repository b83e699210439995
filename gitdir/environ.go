package gitdir

import (
	"runtime"
	"slices"
	"strings"
)

// locates tells whether an entry of an environment, NAME=value, is one of the
// variables by which git is told of a repository instead of looking for one:
// what `git rev-parse --local-env-vars` prints, less GIT_CONFIG and its like,
// which carry settings such as safe.directory.
func locates(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	switch name {
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_COMMON_DIR",
		"GIT_DIR",
		"GIT_GRAFT_FILE",
		"GIT_IMPLICIT_WORK_TREE",
		"GIT_INDEX_FILE",
		"GIT_INTERNAL_SUPER_PREFIX",
		"GIT_NO_REPLACE_OBJECTS",
		"GIT_OBJECT_DIRECTORY",
		"GIT_PREFIX",
		"GIT_REPLACE_REF_BASE",
		"GIT_SHALLOW_FILE",
		"GIT_WORK_TREE":
		return true
	}
	return false
}

// scrub is the environment without the variables that locate a repository.
func scrub(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), locates)
}

// Getenv is the value of a variable in an environment as from os.Environ, the
// last one where it is set twice, as for a child process; "" where it is not
// set.
func Getenv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := valueOf(entry, name); ok {
			return value
		}
	}
	return ""
}

// valueOf is what an entry sets the variable to, if it sets that one; Windows
// folds the case of names.
func valueOf(entry, name string) (value string, ok bool) {
	set, value, ok := strings.Cut(entry, "=")
	if !ok || set != name && !(runtime.GOOS == "windows" && strings.EqualFold(set, name)) {
		return "", false
	}
	return value, true
}
