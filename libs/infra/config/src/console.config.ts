import { z } from 'zod';
import { consoleToken, logSettings, port, proxyCount, url } from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of the console server. */
export const consoleVariables = z.object({
  PILOTHOUSE_API_URL: url('http', 'https'),
  PILOTHOUSE_CONSOLE_HOST: z.string().default('127.0.0.1'),
  PILOTHOUSE_CONSOLE_PORT: port.default(7110),
  PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT: url('http', 'https').optional(),
  PILOTHOUSE_PROXY_COUNT: proxyCount,
  PILOTHOUSE_CONSOLE_TOKEN: consoleToken,
  ...logSettings,
});

/** Settings of the console server. */
export interface ConsoleConfig {
  /** API address for this server; browsers never see it. */
  apiUrl: string;
  host: string;
  port: number;
  /** Origin from which browsers fetch objects, when it is not the API: pages may show images and videos from there. */
  objectsEndpoint: string | undefined;
  /** Number of proxies before the console whose `X-Forwarded` headers are trusted. */
  proxyCount: number;
  /** Secret shared with the API. With it the API trusts the client address that the console forwards. */
  consoleToken: string | undefined;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function consoleConfig(environment: Environment = processEnvironment()): ConsoleConfig {
  const env = readEnvironment(consoleVariables, environment);
  return {
    apiUrl: env.PILOTHOUSE_API_URL.replace(/\/+$/, ''),
    host: env.PILOTHOUSE_CONSOLE_HOST,
    port: env.PILOTHOUSE_CONSOLE_PORT,
    objectsEndpoint: env.PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT,
    proxyCount: env.PILOTHOUSE_PROXY_COUNT,
    consoleToken: env.PILOTHOUSE_CONSOLE_TOKEN,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}
