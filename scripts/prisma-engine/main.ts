#!/usr/bin/env node
/**
 * Replaces Prisma's native schema engine, which the Prisma CLI starts for `migrate` and `db`. Arguments and protocol
 * are the same, over the engine's WebAssembly build. The CLI then needs no download, and works on every platform with
 * Node. `prisma.config.ts` points `PRISMA_SCHEMA_ENGINE_BINARY` here. The product applies its migrations without it:
 * see `libs/infra/db/src/migrate/deploy-migrations.ts`.
 */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  createDatabase,
  databaseName,
  dropDatabase,
  pgErrorCode,
  pgErrorMessage,
  sqlStates,
  withClient,
} from '../../libs/infra/db/src/migrate/pg-database.ts';
import { openEngine, type OpenEngine } from './open-engine.ts';
import { handleRpcLine } from './engine-rpc.ts';
import { loadSchemaEngine } from './engine-wasm.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    datamodels: { type: 'string', multiple: true },
    datasource: { type: 'string' },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
    version: { type: 'boolean' },
  },
});

const datasource = (typeof values.datasource === 'string' ? JSON.parse(values.datasource) : {}) as {
  url?: string;
  shadowDatabaseUrl?: string;
};

/** `cli <command>`: commands that the CLI runs before it opens a session. */
const commands: Record<string, (databaseUrl: string) => Promise<void>> = {
  'can-connect-to-database': (databaseUrl) => withClient(databaseUrl, async () => {}),
  'create-database': createDatabase,
  'drop-database': (databaseUrl) => dropDatabase(databaseUrl),
};

/** Error codes by which the CLI decides whether to offer to create the database. */
function prismaCode(error: unknown): string {
  const code = pgErrorCode(error);
  if (code === sqlStates.databaseMissing) return 'P1003';
  return code === sqlStates.wrongPassword ? 'P1000' : 'P1001';
}

/** Runs a command; the exit code is 1 when it failed. The CLI skips the first line of stderr and reads the others as log lines. */
async function runCommand(name: string): Promise<void> {
  const { url = '' } = datasource;
  process.stderr.write('\n');
  try {
    const run = commands[name];
    if (!run) throw new Error(`There is no command "${name}"`);
    await run(url);
  } catch (error) {
    const code = prismaCode(error);
    const message = code === 'P1003' ? `Database \`${databaseName(url)}\` does not exist` : pgErrorMessage(error);
    const fields = { message, error_code: code, is_panic: false };
    const line = { timestamp: new Date().toISOString(), level: 'ERROR', fields, target: 'schema_engine::logger' };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    process.exitCode = 1;
  }
}

/** Answers the CLI line by line until it closes the input. */
async function answerRequests(): Promise<void> {
  const paths = (values.datamodels ?? []) as string[];
  let engine: Promise<OpenEngine> | undefined;
  // A panic inside the engine's own tasks is not returned. It surfaces as an uncaught exception, and its call never returns.
  const crashed = new Promise<never>((_, reject) => process.once('uncaughtException', reject));
  const open = async (): Promise<OpenEngine> =>
    openEngine({
      databaseUrl: datasource.url,
      shadowDatabaseUrl: datasource.shadowDatabaseUrl,
      datamodels:
        paths.length > 0
          ? await Promise.all(
              paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'utf8')]),
            )
          : undefined,
    });
  let engineCrashed = false;
  crashed.catch(() => (engineCrashed = true));
  try {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      const messages = await handleRpcLine(line, () => (engine ??= open()), crashed);
      for (const message of messages) process.stdout.write(`${JSON.stringify(message)}\n`);
    }
  } finally {
    // A crashed engine may hold connections indefinitely.
    if (engineCrashed) process.exit(1);
    await (await engine?.catch(() => undefined))?.close();
  }
}

const [kind, name = ''] = positionals;
if (values.version) process.stdout.write(`schema-engine-wasm ${(await loadSchemaEngine()).version()}\n`);
else if (kind === 'cli') await runCommand(name);
else await answerRequests();
