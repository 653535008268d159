import { ConfigError } from '@pilothouse/infra-config';
import { program } from './program.ts';

/** Exit codes: 0 well, 1 it failed, 2 it was asked wrongly. */
try {
  await program().parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
