//go:build unix

package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// workerVariable makes the test binary one of the contending processes.
const workerVariable = "AGENT_LOCKS_FLEET_WORKER"

const contended = 4 // number of scopes

// A labourer is a contending process. What its clone wants is in files that the clone's
// processes share: wants/<id>.md, and held/<scope> while one of them holds the scope.
type labourer struct {
	orders
	fleet *Fleet
	log   *os.File
	n     int
}

// work claims and releases scopes until the file over exists.
func work(order string) int {
	var l labourer
	err := json.Unmarshal([]byte(order), &l.orders)
	if err == nil {
		err = l.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (l *labourer) run() (err error) {
	if l.log, err = os.OpenFile(filepath.Join(l.Logs, l.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY,
		0o666); err != nil {
		return err
	}
	if l.fleet, err = openAt(l.Dir, Config{Environ: identified(), Remote: "origin", Label: l.Clone, Chain: 20,
		Now: time.Now}); err != nil {
		return err
	}
	if err := l.recover(); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(l.Logs, over)); err == nil {
			return nil
		}
		if err := l.claim(fmt.Sprintf("src%d", mrand.N(contended))); err != nil {
			return err
		}
		time.Sleep(mrand.N(20 * time.Millisecond))
	}
}

func (l *labourer) say(what, id, scope string, pushes int) {
	fmt.Fprintln(l.log, time.Now().UnixNano(), l.Name, what, id, scope, pushes)
}

// recover ends what this process held when it was killed.
func (l *labourer) recover() error {
	l.say("recovering", "-", "-", 0)
	for _, pattern := range []string{"wants/*-" + l.Name + "-*", "held/*-" + l.Name} {
		names, err := filepath.Glob(filepath.Join(l.Dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return l.publish("", "")
}

// claim holds one scope for a while.
func (l *labourer) claim(scope string) error {
	mark := filepath.Join(l.Dir, "held", scope+"-"+l.Name)
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		return err
	}
	defer os.Remove(mark)
	others, err := filepath.Glob(filepath.Join(l.Dir, "held", scope+"-*"))
	if err != nil || len(others) > 1 {
		return err // another process of this clone has it, or is about to
	}
	l.n++
	nonce := rand.Text()
	lock := newLock(fmt.Sprintf("%s-%s-%s%d", l.Clone, l.Name, nonce[:6], l.n), scope)
	lock.Published.Nonce = nonce
	file, err := lockfile.New(lock)
	if err != nil {
		return err
	}
	want := filepath.Join(l.Dir, "wants", lock.ID+".md")
	if err := os.WriteFile(want+".tmp", file.Bytes(), 0o666); err != nil {
		return err
	}
	if err := os.Rename(want+".tmp", want); err != nil {
		return err
	}
	r, err := l.fleet.Publish(context.Background(), Request{Judge: l.judge(lock.ID), Claims: []Key{keyOf(lock)},
		Wait: 10 * time.Second, Urgent: true})
	switch {
	case err == nil:
		l.say("claimed", lock.ID, scope, r.Pushes)
		time.Sleep(mrand.N(30 * time.Millisecond))
		l.say("releasing", lock.ID, scope, 0)
	case errors.Is(err, errTaken), errors.Is(err, fault.FleetBusy):
		l.say("refused", lock.ID, scope, r.Pushes)
	default:
		return err
	}
	if err := os.Remove(want); err != nil {
		return err
	}
	return l.publish(lock.ID, scope)
}

// publish publishes what the clone wants, and retries until that succeeds.
func (l *labourer) publish(id, scope string) error {
	for {
		r, err := l.fleet.Publish(context.Background(), Request{Judge: l.judge(""), Wait: 10 * time.Second, Urgent: true})
		if !errors.Is(err, fault.FleetBusy) {
			if err == nil && id != "" {
				l.say("released", id, scope, r.Pushes)
			}
			return err
		}
	}
}

// judge wants everything that the clone wants, except for scopes that others hold.
func (l *labourer) judge(claim string) Judge {
	return func(_ context.Context, v *View) (Plan, error) {
		names, err := filepath.Glob(filepath.Join(l.Dir, "wants", "*.md"))
		if err != nil {
			return Plan{}, err
		}
		var plan Plan
		for _, name := range names {
			id := strings.TrimSuffix(filepath.Base(name), ".md")
			data, err := os.ReadFile(name)
			if errors.Is(err, os.ErrNotExist) {
				continue // it was given up just now
			}
			if err != nil {
				return Plan{}, err
			}
			f, err := lockfile.Parse(id, data)
			if err != nil {
				return Plan{}, err
			}
			_, stands := v.Mine[id]
			taken := slices.ContainsFunc(v.Locks, func(o Lock) bool { return o.Lock.Scope[0] == f.Lock.Scope[0] })
			switch {
			case stands || !taken:
				plan.Locks = append(plan.Locks, f.Lock)
			case id == claim:
				return Plan{}, errTaken
			}
		}
		return plan, nil
	}
}
