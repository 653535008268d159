import type { Config } from '@react-router/dev/config';

/** What `scripts/build.ts` lays beside the bundle of the server: `client/` for browsers, `server/` to render. */
export default {
  appDirectory: 'app',
  buildDirectory: '../../dist/console',
  ssr: true,
  splitRouteModules: true,
} satisfies Config;
