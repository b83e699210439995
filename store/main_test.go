package store

import (
	"context"
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestMain(m *testing.M) {
	roles := osRoles()
	roles["agent"] = func(args []string) error { return playAgent(context.Background(), args[0]) }
	roles["stress"] = func(args []string) error { return playStress(args[0], args[1], args[2]) }
	roles["claim"] = func(args []string) error { return playClaim(args[0], args[1]) }
	roles["wait"] = func(args []string) error { return playWait(args[0], args[1]) }
	roles["writes"] = func(args []string) error { return playWrites(args[0], args[1], args[2]) }
	roles["state"] = func(args []string) error { return playState(args[0], args[1], args[2]) }
	storetest.Main(m, roles)
}
