# Shared by the commands in scripts/: where things are, how progress is said, which Node runs. Sourced, never run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
state=${PILOTHOUSE_DIR:-$root/.pilothouse}
setup_log=$state/logs/setup.log

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
on_mac() { [ "$(uname -s)" = Darwin ]; }

# step "What is done" COMMAND...: one line with the seconds it took; its output goes to the log, whose end is shown when it fails.
step() {
  local what=$1 start=$SECONDS; shift
  printf '  %s ... ' "$what" >&2
  printf '\n== %s: %s\n' "$what" "$*" >>"$setup_log"
  if "$@" </dev/null >>"$setup_log" 2>&1 9>&-; then printf '%d s\n' $((SECONDS - start)) >&2; return 0; fi
  printf 'failed\n' >&2
  tail -n 20 "$setup_log" | sed 's/^/    /' >&2
  say "  The whole log is $setup_log"
  return 1
}

node_major() { local version; version=$("$1" -v 2>/dev/null) || { echo 0; return; }; version=${version#v}; echo "${version%%.*}"; }

# use_node: puts Node 24 or newer first on the PATH; fails when there is none yet.
use_node() {
  local own=$root/scripts/node/node_modules/.bin
  if has node && [ "$(node_major node)" -ge 24 ]; then return 0; fi
  [ -x "$own/node" ] && [ "$(node_major "$own/node")" -ge 24 ] || return 1
  export PATH=$own:$PATH
}
