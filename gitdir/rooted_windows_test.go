package gitdir

import "testing"

func TestRooted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ dir, path, want string }{
		{`D:\repo`, `\src\a.go`, `D:\src\a.go`},
		{`D:\repo`, `/c/src/a.go`, `c:\src/a.go`},
		{`D:\repo`, `/c`, `c:\`},
		{`D:\repo`, `/c/`, `c:\`},
		{`D:\repo`, `/code`, `D:/code`},
		{`D:\repo`, `src\a.go`, `src\a.go`},
		{`D:\repo`, `C:\src`, `C:\src`},
		{`D:\repo`, `C:src`, `C:src`},
		{`D:\repo`, `\\server\share\x`, `\\server\share\x`},
		{`\\server\share\x`, `/home`, `\\server\share/home`},
		{`D:\repo`, ``, ``},
	} {
		if got := Rooted(tt.dir, tt.path); got != tt.want {
			t.Errorf("Rooted(%q, %q) = %q, want %q", tt.dir, tt.path, got, tt.want)
		}
	}
}
