package doctor

import "testing"

func TestNetworkFileSystemsAreKnown(t *testing.T) {
	t.Parallel()
	smb := uint32(0xff534d42)
	for number, want := range map[int64]string{
		0x6969:            "NFS",
		int64(smb):        "SMB",
		int64(int32(smb)): "SMB", // on systems where the number is signed
		0xef53:            "",    // ext4
	} {
		if got := networkNamed(number); got != want {
			t.Errorf("%#x is %q, want %q", number, got, want)
		}
	}
	if got := network("/proc"); got != "" {
		t.Errorf("/proc lies on %s", got)
	}
}
