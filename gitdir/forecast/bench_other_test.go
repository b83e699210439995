//go:build !unix

package forecast_test

import "time"

func processorTime() time.Duration { return 0 }
