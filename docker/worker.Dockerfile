# Base of all worker images: a virtual display, fonts, ffmpeg. Follows docker/base.Dockerfile, precedes the file of the image.
FROM base AS worker
USER root
COPY docker/worker.dpkg /etc/dpkg/dpkg.cfg.d/pilothouse
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends xvfb ffmpeg \
    fonts-liberation fonts-noto-core fonts-noto-mono fonts-noto-cjk fonts-noto-color-emoji \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# Disables source maps: they use 44 MB per worker (docs/operations/troubleshooting.md: find a source line).
ENV NODE_OPTIONS=
