import { existsSync } from 'node:fs';

const HEADLESS_SHELL_PATH = '/usr/bin/chromium-headless-shell';

/** The URL of a PostgreSQL server on which databases can be made. */
export function databaseServer(): string {
  const url = process.env.DATABASE_URL;
  if (url) return url;
  throw new Error('DATABASE_URL is not set: run the tests with ./scripts/test, or give the URL of a PostgreSQL server');
}

/** The PATH of this process: what programs need to find Chromium and Node. */
export const searchPath = (): string => process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** Environment variables of the programs of a stack: PATH, and NODE_COMPILE_CACHE for a faster start. */
export function baseEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return { PATH: searchPath(), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

/** The S3 server of the tests. */
export function serverOfS3(): { endpoint: string; accessKey: string; secretKey: string } {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = process.env;
  if (endpoint && accessKey && secretKey) return { endpoint, accessKey, secretKey };
  throw new Error('S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY are not set: run the tests with ./scripts/test');
}

/** The Chromium of this machine, for those who look at pages. */
export const chromiumPath = (): string => process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** The browser that opens the console: the headless shell of Debian, which needs less CPU time, or Chromium. */
export const viewerBrowserPath = (): string => (existsSync(HEADLESS_SHELL_PATH) ? HEADLESS_SHELL_PATH : chromiumPath());
