import type { Config } from '@react-router/dev/config';

/** What `scripts/build.ts` lays beside the bundle of the server: `client/` for browsers, `server/` to render. */
export default {
  appDirectory: 'app',
  buildDirectory: '../../dist/console',
  ssr: true,
  splitRouteModules: true,
  // All addresses are known from the first page on (some kilobytes): learning of them link by link fails while the connection is gone.
  routeDiscovery: { mode: 'initial' },
} satisfies Config;
