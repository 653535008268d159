# pilothouse/server: api, console, fleet controller, job runner, migrations, and the demo site. Follows docker/base.Dockerfile.

# The npm packages that its apps declare, with their dependencies. The console has its own in its bundles.
FROM packages AS server-packages
RUN node scripts/lib/image-packages.ts /out api fleet jobs migrate

FROM base AS server
COPY --from=server-packages /out ./
COPY LICENSE package.json ./
COPY prisma/migrations prisma/migrations
COPY --from=build /src/dist/api dist/api
COPY --from=build /src/dist/console dist/console
COPY --from=build /src/dist/fleet dist/fleet
COPY --from=build /src/dist/jobs dist/jobs
COPY --from=build /src/dist/migrate dist/migrate
COPY --from=build /src/dist/site dist/site
CMD ["node", "dist/api/main.js"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=""
LABEL org.opencontainers.image.title="Pilothouse server" \
  org.opencontainers.image.description="REST, gateway, console, fleet controller, job runner and migrations" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.licenses="Apache-2.0"
