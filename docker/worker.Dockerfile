# What the images of all workers start from: a virtual display, fonts, ffmpeg. Behind docker/base.Dockerfile, before that of the image.
FROM base AS worker
USER root
COPY docker/worker.dpkg /etc/dpkg/dpkg.cfg.d/pilothouse
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends xvfb ffmpeg \
    fonts-liberation fonts-noto-core fonts-noto-mono fonts-noto-cjk fonts-noto-color-emoji \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# Without maps of its sources, which take 44 MB of each worker (docs/troubleshooting.md reads a stack with them).
ENV NODE_OPTIONS=
