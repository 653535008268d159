import { ConfigError } from '@pilothouse/infra-config';
import { program } from './program.ts';

/** Exit codes: see output/exit-codes.ts. */
try {
  await program().parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
