package guard

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"gopkg.in/yaml.v3"
)

// judgeLefthook reads lefthook's settings: the guard must be called for the
// pre-commit hook. What they pull in from elsewhere is not looked up.
func judgeLefthook(name, text string) says {
	switch ext := filepath.Ext(name); {
	case ext == ".toml" && tomlCalls(text):
		return yes
	case ext != ".toml" && calledIn(decode(name, text)[hookName]):
		return yes
	case pulled.MatchString(text):
		return perhaps
	}
	return judgeMention(name, text)
}

// decode reads YAML or JSON with comments; what cannot be read has nothing.
func decode(name, text string) map[string]any {
	top := map[string]any{}
	if strings.HasPrefix(filepath.Ext(name), ".json") {
		if plain, err := hujson.Standardize([]byte(text)); err != nil || json.Unmarshal(plain, &top) != nil {
			return nil
		}
		return top
	}
	if yaml.Unmarshal([]byte(text), &top) != nil {
		return nil
	}
	return top
}

// calledIn looks for a call of the guard among the strings of decoded settings.
func calledIn(v any) bool {
	switch v := v.(type) {
	case string:
		return callsGuard(v)
	case []any:
		return slices.ContainsFunc(v, calledIn)
	case map[string]any:
		for _, value := range v {
			if calledIn(value) {
				return true
			}
		}
	}
	return false
}

// tomlCalls looks for a call below a table of the pre-commit hook.
func tomlCalls(text string) bool {
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(line, "[]\"' ")
		}
		if (table == hookName || strings.HasPrefix(table, hookName+".") || strings.HasPrefix(table, hookName+`".`) ||
			table == "" && strings.HasPrefix(line, hookName)) && callsGuard(line) {
			return true
		}
	}
	return false
}

// A frameworkHook is an entry of .pre-commit-config.yaml.
type frameworkHook struct {
	ID     string   `yaml:"id"`
	Entry  string   `yaml:"entry"`
	Args   []string `yaml:"args"`
	Stages []string `yaml:"stages"`
}

// judgeFramework reads the settings of https://pre-commit.com.
func judgeFramework(name, text string) says {
	var config struct {
		Stages []string `yaml:"default_stages"`
		Repos  []struct {
			Hooks []frameworkHook `yaml:"hooks"`
		} `yaml:"repos"`
	}
	if err := yaml.Unmarshal([]byte(text), &config); err == nil {
		for _, repo := range config.Repos {
			for _, hook := range repo.Hooks {
				if hook.calls() && staged(hook.Stages, config.Stages) {
					return yes
				}
			}
		}
	}
	return judgeMention(name, text)
}

func (h frameworkHook) calls() bool {
	return h.ID == "agent-locks-guard" || callsGuard(strings.Join(append([]string{h.Entry}, h.Args...), " "))
}

// staged reports whether a hook runs before a commit: by its own stages, else
// by those that the settings give to all, else yes.
func staged(own, all []string) bool {
	stages := own
	if len(stages) == 0 {
		stages = all
	}
	return len(stages) == 0 || slices.Contains(stages, "pre-commit") || slices.Contains(stages, "commit")
}
