# pilothouse/worker-browser: the worker with Chromium on a virtual display, fonts, ffmpeg. Behind docker/base.Dockerfile.

# The npm packages that the worker declares, and what those need; Playwright comes with the bundle.
FROM packages AS worker-packages
RUN node scripts/lib/image-packages.ts /out worker

FROM base AS worker-browser
USER root
COPY docker/worker-browser.dpkg /etc/dpkg/dpkg.cfg.d/pilothouse
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium xvfb ffmpeg libnss3-tools \
    fonts-liberation fonts-noto-core fonts-noto-mono fonts-noto-cjk fonts-noto-color-emoji \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
USER 10001:10001
# Without maps of its sources, which take 44 MB of each worker (docs/troubleshooting.md reads a stack with them).
ENV CHROMIUM_PATH=/usr/bin/chromium NODE_OPTIONS=
COPY --from=worker-packages /out ./
COPY LICENSE package.json ./
COPY --from=build /src/dist/worker dist/worker
CMD ["node", "dist/worker/main.js"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=""
LABEL org.opencontainers.image.title="Pilothouse browser worker" \
  org.opencontainers.image.description="Carries out runs in Chromium on a virtual display" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.licenses="Apache-2.0"
