# pilothouse/worker-browser: the worker with Chromium. Follows docker/base.Dockerfile and docker/worker.Dockerfile.

# The npm packages that the worker declares, with their dependencies. Playwright is part of the bundle. Desktop sessions run in another image.
FROM packages AS worker-packages
RUN node scripts/lib/image-packages.ts /out worker --without @pilothouse/surface-desktop

FROM worker AS worker-browser
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium libnss3-tools \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
USER 10001:10001
ENV CHROMIUM_PATH=/usr/bin/chromium
COPY --from=worker-packages /out ./
COPY LICENSE package.json ./
COPY --from=build /src/dist/worker dist/worker
CMD ["node", "dist/worker/main.js"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=""
LABEL org.opencontainers.image.title="Pilothouse browser worker" \
  org.opencontainers.image.description="Executes runs in Chromium on a virtual display" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.licenses="Apache-2.0"
