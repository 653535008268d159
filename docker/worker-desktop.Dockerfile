# pilothouse/worker-desktop: the worker with the parts of a desktop session, OCR, and applications. Follows docker/base.Dockerfile and
# docker/worker.Dockerfile.

# The npm packages that the worker declares, with their dependencies. Playwright is part of the bundle.
FROM packages AS worker-packages
RUN node scripts/lib/image-packages.ts /out worker

FROM worker AS worker-desktop
# Programs of a session (libs/infra/config/src/desktop-packages.ts), iproute2 for its network, and OCR.
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    xvfb openbox dbus-daemon at-spi2-core libxtst6 iproute2 tesseract-ocr tesseract-ocr-eng \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# Debian packages of applications that runs can open. To replace them: --build-arg APPLICATIONS="mousepad gimp".
ARG APPLICATIONS="mousepad thunar xterm atril chromium libreoffice-writer libreoffice-calc libreoffice-gtk3"
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ${APPLICATIONS} \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# Read by Debian's start script of Chromium, where it is installed.
COPY docker/worker-desktop.chromium /etc/chromium.d/pilothouse
# Users of the containers of slots: D-Bus ends without an entry. Programs cannot read a process whose executable they cannot read.
RUN for slot in $(seq 0 63); do \
      echo "slot-$slot:x:$((10101 + slot)):$((10101 + slot))::/home/desktop:/bin/sh" >> /etc/passwd; \
      echo "slot-$slot:x:$((10101 + slot)):" >> /etc/group; \
    done \
 && mkdir -p /home/desktop /run/pilothouse \
 && chmod 0711 /usr/local/bin/node /usr/bin/tini
USER 10001:10001
COPY --from=worker-packages /out ./
COPY LICENSE package.json ./
COPY --from=build /src/dist/worker dist/worker
CMD ["node", "dist/worker/main.js"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=""
LABEL org.opencontainers.image.title="Pilothouse desktop worker" \
  org.opencontainers.image.description="Executes runs in applications on a private X display" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.licenses="Apache-2.0"
