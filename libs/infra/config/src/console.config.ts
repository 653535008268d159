import { z } from 'zod';
import { consoleToken, logSettings, port, proxyCount, url } from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

const schema = z.object({
  PILOTHOUSE_API_URL: url('http', 'https'),
  PILOTHOUSE_CONSOLE_HOST: z.string().default('127.0.0.1'),
  PILOTHOUSE_CONSOLE_PORT: port.default(7110),
  PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT: url('http', 'https').optional(),
  PILOTHOUSE_PROXY_COUNT: proxyCount,
  PILOTHOUSE_CONSOLE_TOKEN: consoleToken,
  ...logSettings,
});

/** Settings of the console's server. */
export interface ConsoleConfig {
  /** Where this server reaches the API; browsers never see it. */
  apiUrl: string;
  host: string;
  port: number;
  /** Where browsers fetch objects, when not from the API: pages may show pictures and videos from there. */
  objectsEndpoint: string | undefined;
  /** Proxies before the console whose `X-Forwarded` headers count. */
  proxyCount: number;
  /** As the API has it: by it the API takes the console's word on where a request came from. */
  consoleToken: string | undefined;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function consoleConfig(environment: Environment = processEnvironment()): ConsoleConfig {
  const env = readEnvironment(schema, environment);
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
