# Stages that all images share. `scripts/images build` appends the file of an image to this one:
# cat docker/base.Dockerfile docker/server.Dockerfile | docker build -f - -t pilothouse/server:dev .
# Works without BuildKit and on every architecture.
ARG NODE_IMAGE=node:24-bookworm-slim

# Base of every image: an init process, an unprivileged user, a read-only root file system.
FROM ${NODE_IMAGE} AS base
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && groupadd --gid 10001 pilothouse \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pilothouse
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps HOME=/tmp LANG=C.UTF-8
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["/usr/bin/tini", "-e", "143", "--"]

# Only the manifests, so that the layer of the packages is cached until they change.
FROM ${NODE_IMAGE} AS manifests
COPY . /all
RUN mkdir /manifests && cd /all && find . -name package.json -exec cp --parents {} /manifests ';' \
 && cp package-lock.json .npmrc /manifests

# All npm packages at the versions of package-lock.json, including those for the build. This stage is in no image.
FROM ${NODE_IMAGE} AS packages
# The npm registry, if not the default. It must not contain a password.
ARG npm_config_registry
WORKDIR /src
COPY --from=manifests /manifests ./
# Not "npm ci": it refuses a lock file that lacks packages of other platforms. A script compares the result with the lock file instead.
# esbuild and Prisma need no install scripts.
RUN npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error && npm cache clean --force --loglevel=error
COPY scripts/lib/installed-packages.ts scripts/lib/lean-bundle.ts scripts/lib/image-packages.ts scripts/lib/
RUN node scripts/lib/installed-packages.ts

# The bundles, one per app.
FROM packages AS build
COPY . .
RUN ./scripts/prisma generate && node scripts/build.ts
