class AgentLocks < Formula
  desc "Advisory locks for AI agents that share a git repository"
  homepage "https://github.com/agent-locks/agent-locks"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/agent-locks/agent-locks/releases/download/v@VERSION@/agent-locks_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@SHA256_darwin_arm64@"
    end
    on_intel do
      url "https://github.com/agent-locks/agent-locks/releases/download/v@VERSION@/agent-locks_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@SHA256_darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/agent-locks/agent-locks/releases/download/v@VERSION@/agent-locks_@VERSION@_linux_arm64.tar.gz"
      sha256 "@SHA256_linux_arm64@"
    end
    on_intel do
      url "https://github.com/agent-locks/agent-locks/releases/download/v@VERSION@/agent-locks_@VERSION@_linux_amd64.tar.gz"
      sha256 "@SHA256_linux_amd64@"
    end
  end

  def install
    bin.install "agent-locks"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/agent-locks.bash" => "agent-locks"
    zsh_completion.install "completions/_agent-locks"
    fish_completion.install "completions/agent-locks.fish"
  end

  test do
    assert_match "agent-locks v#{version}", shell_output("#{bin}/agent-locks version")
    system "git", "init", "-q"
    assert_match "claimed", shell_output("#{bin}/agent-locks claim --title Test --scope src")
  end
end
