import { z } from 'zod';
import { url } from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of the `pilothouse` command. */
export const cliVariables = z.object({
  PILOTHOUSE_URL: url('http', 'https').optional(),
  PILOTHOUSE_API_KEY: z
    .string()
    .regex(/^ph_\w+$/, { error: 'set it to an API key that starts with ph_' })
    .optional(),
  PILOTHOUSE_INSTALL_DIR: z.string().optional(),
});

/** Settings of the `pilothouse` command. Unset values come from the `.pilothouse/` folder of the local installation. */
export interface CliConfig {
  /** Address of the API, without a trailing slash. */
  url: string | undefined;
  apiKey: string | undefined;
  /** Data folder, when it is not `.pilothouse` in the checkout. */
  installDir: string | undefined;
}

/** @throws ConfigError */
export function cliConfig(environment: Environment = processEnvironment()): CliConfig {
  const env = readEnvironment(cliVariables, environment);
  return {
    url: env.PILOTHOUSE_URL?.replace(/\/+$/, ''),
    apiKey: env.PILOTHOUSE_API_KEY,
    installDir: env.PILOTHOUSE_INSTALL_DIR,
  };
}
