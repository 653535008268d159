# shellcheck shell=bash
# Installs missing system packages. Sourced by scripts/setup.

# find_chromium: prints the path of an installed Chromium or Chrome, for CHROMIUM_PATH.
find_chromium() {
  local name
  if [ -n "${CHROMIUM_PATH:-}" ]; then [ -x "$CHROMIUM_PATH" ] && echo "$CHROMIUM_PATH"; return; fi
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    # Ubuntu's chromium-browser may be a stub that only asks for a snap
    if has "$name" && ! grep -qs 'snap install' "$(command -v "$name")"; then command -v "$name"; return; fi
  done
  for name in "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium \
    "$state"/browsers/chromium-*/chrome-*/chrome "$state"/browsers/chromium-*/chrome-*/*.app/Contents/MacOS/*; do
    if [ -x "$name" ]; then echo "$name"; return; fi
  done
  return 1
}

has_font() { find /usr/share/fonts /usr/local/share/fonts -iname "$1" -print -quit 2>/dev/null | grep -q .; }
uid_0() { [ "$(id -u)" = 0 ]; }

debian_missing() { # prints the Debian packages that are missing for $1
  if [ "$1" != check ]; then
    find_chromium >/dev/null || echo chromium
    has Xvfb || echo xvfb
    has ffmpeg || echo ffmpeg # videos of runs
    has certutil || echo libnss3-tools # authorities of one's own, PILOTHOUSE_EXTRA_CA_CERTS
    [ -n "${REDIS_URL:-}" ] || has redis-server || echo redis-server
    has_font 'LiberationSans*' || echo fonts-liberation
    has_font 'NotoColorEmoji*' || echo fonts-noto-color-emoji
  fi
  if [ "$1" = test ]; then
    has git || echo git # the tests of the scripts look at a clone
    [ -x /usr/bin/tini ] || echo tini # parent of the sessions in a container
    desktop_missing
    # Applications that the tests of the desktop operate.
    local application
    for application in featherpad xterm xfce4-terminal qterminal firefox-esr thunar kate gnome-text-editor atril qpdfview mtpaint; do
      has "$application" || echo "$application"
    done
    find /usr/lib -path '*gtk-2.0/modules/libatk-bridge.so' 2>/dev/null | grep -q . || echo libatk-adaptor # elements of mtPaint
    find /usr/lib -path '*gtk-2.0/modules/libgail.so' 2>/dev/null | grep -q . || echo libgail-common
    /usr/bin/python3 -c 'import tkinter' 2>/dev/null || echo python3-tk # sessions use this Python
    /usr/bin/python3 -c 'import gi; gi.require_version("Gtk", "3.0")' 2>/dev/null || echo python3-gi gir1.2-gtk-3.0
    has tesseract || echo tesseract-ocr
    has localc || echo libreoffice-calc
    has lowriter || echo libreoffice-writer
    find /usr/lib/libreoffice -name 'libvclplug_gtk3lo.so' 2>/dev/null | grep -q . || echo libreoffice-gtk3
    has setxkbmap || echo x11-xkb-utils
    has xdpyinfo || echo x11-utils
    [ -d /usr/share/i18n/locales ] || echo locales # sources of locales
    find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 2>/dev/null | grep -q . || echo libfaketime # chaos steps clocks
    if [ -z "${S3_ENDPOINT:-}" ]; then
      has radosgw || echo radosgw
      has ceph-mon || echo ceph-mon
      has ceph-osd || echo ceph-osd
      has radosgw-admin || echo ceph-common
    fi
  fi
  if ! use_node; then
    has node || echo nodejs
    has npm || echo npm
  fi
}

desktop_missing() { # prints the Debian packages that are missing for desktop runs: libs/infra/config/src/desktop-packages.ts, and an editor
  has Xvfb || echo xvfb
  has openbox || echo openbox
  has dbus-daemon || echo dbus-daemon
  [ -x /usr/libexec/at-spi-bus-launcher ] || [ -x /usr/lib/at-spi2-core/at-spi-bus-launcher ] || echo at-spi2-core
  find /usr/lib /usr/lib64 -maxdepth 2 -name libXtst.so.6 2>/dev/null | grep -q . || echo libxtst6
  has mousepad || echo mousepad
}

# desktop_packages: installs what desktop runs need. Everything else works without it, so a failure only prints a line.
desktop_packages() {
  local missing
  missing=$(desktop_missing | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  if ! uid_0 && ! sudo -n true 2>/dev/null; then
    say "  Missing for desktop runs: $missing. Install them with apt-get (docs/guides/desktop.md)."
  elif ! step "Installing $missing" apt_install $missing; then
    say "  Desktop runs need these packages: $missing. Everything else works without them."
  fi
}

# install_headless_shell: installs chromium-headless-shell, which makes the browser tests faster, if the distribution has it.
# The tests also work without it.
install_headless_shell() {
  has chromium-headless-shell && return
  apt-cache show chromium-headless-shell >/dev/null 2>&1 || return 0
  uid_0 || sudo -n true 2>/dev/null || return 0
  step 'Installing chromium-headless-shell' apt_install --no-remove chromium-headless-shell ||
    say '  The browser tests are slower without chromium-headless-shell.'
}

apt_install() { # as root or through sudo; the package lists are fetched once before
  local sudo=()
  uid_0 || sudo=(sudo)
  [ -n "${has_package_lists:-}" ] || "${sudo[@]}" apt-get update -q || return
  has_package_lists=1
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

debian_packages() {
  local missing
  missing=$(debian_missing "$1" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  if ! uid_0; then
    has sudo || die "Missing: $missing. You are not root and there is no sudo: ask an administrator to run \"apt-get install --no-install-recommends $missing\", then start again."
    sudo -n true 2>/dev/null || say "  $missing must be installed; sudo asks for your password."
    sudo -v || die "Without sudo: have \"apt-get install --no-install-recommends $missing\" run by an administrator, then start again."
  fi
  # Ubuntu has Chromium only as a snap, which needs a running snapd: Playwright's own build is used instead.
  if is_ubuntu; then missing=$(without_packages "$missing" chromium); fi
  # Node and the npm packages need only these; the others are installed beside them.
  local first='' package
  for package in nodejs npm; do [[ " $missing " != *" $package "* ]] || first="$first $package"; done
  first=${first# }
  if [ -n "$first" ]; then install_debian $first; missing=$(without_packages "$missing" $first); fi
  remaining_packages=$missing
}

is_ubuntu() { grep -qs '^ID=ubuntu' /etc/os-release; }

without_packages() { # prints the list $1 without the other arguments
  local package list=" $1 "
  shift
  for package; do list=${list/ $package / }; done
  printf '%s' "$list" | xargs
}

install_debian() { # installs Debian packages; none: nothing to do
  [ $# -gt 0 ] || return 0
  step "Installing $*" apt_install "$@" ||
    die "Debian packages could not be installed: check the network and the sources in /etc/apt, or install by hand: $*"
}

# remaining_debian_packages PURPOSE: installs what system_packages left. Nothing in the set-up of Node needs it.
remaining_debian_packages() {
  install_debian ${remaining_packages:-}
  [ "$1" != up ] || desktop_packages
  [ "$1" != test ] || install_headless_shell
}

brew_packages() { # strings and no lists: a Mac's own bash is 3.2, where an empty list counts as unset
  local formulas='' chrome=''
  if [ "$1" != check ]; then
    find_chromium >/dev/null || chrome=google-chrome
    [ -n "${REDIS_URL:-}" ] || has redis-server || formulas=redis
    has ffmpeg || formulas="$formulas ffmpeg"
  fi
  use_node || formulas="$formulas node@24"
  [ -n "$formulas$chrome" ] || return 0
  has brew || die "Missing: $formulas $chrome. Install Homebrew from https://brew.sh, then start again."
  [ -z "$formulas" ] || step "Installing $formulas" brew install $formulas || die "brew could not install $formulas."
  [ -z "$chrome" ] || step "Installing $chrome" brew install --cask $chrome || die "brew could not install $chrome."
}

# system_packages PURPOSE: installs what Node needs, and starts to install the rest. finish_background waits for it.
system_packages() {
  if on_mac; then
    brew_packages "$1"
    [ "$1" != test ] || [ -n "${S3_ENDPOINT:-}" ] ||
      die "The tests need an S3 server, and no package for a Mac exists: start MinIO and set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY."
  elif has apt-get; then
    debian_packages "$1"
    in_background remaining_debian_packages "$1"
  else
    local missing
    missing=$(debian_missing "$1" | tr '\n' ' ')
    [ -z "${missing// /}" ] || die "This is neither Debian, Ubuntu nor a Mac: install these Debian packages or their equivalents manually: $missing(Node must be 24.7 or newer), then start again."
  fi
}

# browser_from_playwright: where the system has no Chromium package; needs the npm packages, so it comes after them
browser_from_playwright() {
  [ "$1" != check ] && is_ubuntu && ! find_chromium >/dev/null || return 0
  PLAYWRIGHT_BROWSERS_PATH=$state/browsers step 'Fetching Chromium' node node_modules/playwright-core/cli.js install --with-deps chromium ||
    die 'Chromium could not be fetched: install Google Chrome or Chromium and set CHROMIUM_PATH to it, then start again.'
}

# cspell:ignore nobody
# worker_user: started by root, workers run as this user, which owns no files (apps/fleet/src/driver/local/worker-user.ts). Without it they run as nobody.
worker_user() {
  uid_0 && ! on_mac || return 0
  ! id -u pilothouse-worker >/dev/null 2>&1 || return 0
  step 'Making the user pilothouse-worker' useradd --system --user-group --no-create-home --shell /usr/sbin/nologin pilothouse-worker ||
    say '  Workers will run as the user nobody.'
}
