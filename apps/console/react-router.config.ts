import type { Config } from '@react-router/dev/config';

/** Output folders that `scripts/build.ts` copies next to the server bundle: `client/` for browsers, `server/` for rendering. */
export default {
  appDirectory: 'app',
  buildDirectory: '../../dist/console',
  ssr: true,
  splitRouteModules: true,
  // All routes are known from the first page: lazy discovery fails while the connection is lost.
  routeDiscovery: { mode: 'initial' },
} satisfies Config;
