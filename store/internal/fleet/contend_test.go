package fleet

const workerVariable = "AGENT_LOCKS_FLEET_WORKER"

func work(string) int { return 0 }
