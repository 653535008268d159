# shellcheck shell=bash
# Shared by the commands in scripts/: paths, progress output, Node version. Sourced, never run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
state=${PILOTHOUSE_INSTALL_DIR:-$root/.pilothouse}
setup_log=$state/logs/setup.log

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
on_mac() { [ "$(uname -s)" = Darwin ]; }

# has_help ARG...: true if an argument asks for help
has_help() {
  local argument
  for argument; do case $argument in -h | --help) return 0 ;; --) return 1 ;; esac; done
  return 1
}

# print_help FILE: the comment at the start of a script, as its help
print_help() { sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p;};}' "$1"; }

# step "What is done" COMMAND...: prints one line with the duration in seconds. The output goes to the log; a failure
# prints its end.
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

# in_background FUNCTION ARG...: runs a function beside the next steps. Its lines and its log are shown by finish_background.
in_background() {
  background_output=$state/logs/setup-background.txt
  set -m # its own process group, for stop_background
  (setup_log=$state/logs/setup-background.log; : >"$setup_log"; "$@") >"$background_output" 2>&1 9>&- &
  background_pid=$!
  set +m
}

# finish_background: waits for the function, prints its lines, and fails if it failed.
finish_background() {
  [ -n "${background_pid:-}" ] || return 0
  local status=0
  wait "$background_pid" || status=$?
  cat "$background_output" >&2
  background_pid=
  return "$status"
}

# stop_background: an error of another step ends the function and its commands, too. SIGINT, because apt-get then lets
# dpkg finish its package.
stop_background() {
  [ -n "${background_pid:-}" ] || return 0
  kill "$background_pid" 2>/dev/null || true
  kill -INT -- "-$background_pid" 2>/dev/null || true
}

# node_fits NODE: passwords need argon2, which came with 24.7
node_fits() {
  local version major minor
  version=$("$1" -v 2>/dev/null) || return 1
  IFS=. read -r major minor _ <<<"${version#v}"
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 7 ]; }
}

# use_node: puts Node 24.7 or newer first on the PATH; fails when there is none yet. Homebrew keeps node@24 off the PATH.
use_node() {
  local place
  if has node && node_fits node; then return 0; fi
  for place in "$root/scripts/node/node_modules/.bin" /opt/homebrew/opt/node@24/bin /usr/local/opt/node@24/bin; do
    if [ -x "$place/node" ] && node_fits "$place/node"; then
      export PATH=$place:$PATH
      return 0
    fi
  done
  return 1
}
