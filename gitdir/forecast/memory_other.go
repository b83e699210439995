//go:build !linux

package forecast

const memory = ""

func fast(string) string { return "" }
