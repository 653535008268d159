import {
  MAX_SECRET_CHARS,
  secretNameSchema,
  type ProjectSecretView,
} from '@pilothouse/contract/project/project-secret.schema';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

interface SetFlags extends ApiOptions {
  readonly description?: string;
  readonly fromEnv?: string;
  readonly fromFile?: string;
}

/** `pilothouse secrets`. Never prints a value, and takes none as an argument. */
export const secretsCommand = (source = processSource) =>
  newNoun(
    'secrets',
    'List, set and delete secrets that runs type by name.',
    [
      newApiCommand(
        'list',
        'List secrets, without their values.',
        ['pilothouse secrets list', 'pilothouse secrets list --json'],
        source,
      ).action(withApi(source, list)),
      newApiCommand(
        'set',
        'Create a secret, or replace its value. Only admins can.',
        [
          'pilothouse secrets set portal-password',
          'pilothouse secrets set portal-password --from-env PORTAL_PASSWORD --description "Account of the robot"',
          'pass show portal | pilothouse secrets set portal-password',
        ],
        source,
      )
        .argument('<name>', 'secret name')
        .option('--from-env <VARIABLE>', 'read the value from an environment variable')
        .option('--from-file <file>', 'read the value from a file')
        .option('--description <text>', 'text for people (default: the previous one)')
        .addHelpText(
          'after',
          '\nWithout --from-env and --from-file, the value is prompted for without echo, or read from stdin.\nA line break at the end of a file or of stdin is not part of the value.',
        )
        // Without this argument, the library's error would print the value.
        .argument('[value...]', 'refused: other processes can read arguments')
        .action(withApi(source, save)),
      newApiCommand(
        'delete',
        'Delete a secret. Runs that need it fail.',
        ['pilothouse secrets delete portal-password', 'pilothouse secrets delete portal-password --json'],
        source,
      )
        .argument('<name>', 'secret name')
        .action(withApi(source, deleteOne)),
    ],
    source,
  );

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const { items } = await readPages((page) => api.secrets(page));
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No secrets. Create one: npx pilothouse secrets set <name>');
  const rows = items.map((secret) => [
    secret.name,
    String(secret.version),
    relative(secret.updatedAt, now()),
    clean(secret.updatedBy?.name ?? 'Pilothouse'),
    secret.lastUsedAt === null ? 'never' : relative(secret.lastUsedAt, now()),
    secret.workflows.map(clean).join(', '),
    clean(secret.description),
  ]);
  const heads = ['name', 'version', 'set', 'set by', 'last used', 'workflows', 'description'].map((head) => ({
    head,
    canShrink: head === 'workflows' || head === 'description',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function save(api: Api, cli: Cli, flags: SetFlags, name: string, values: readonly string[] = []): Promise<void> {
  if (values.length > 0)
    throw usage('A value is no argument: other processes can read it. Use stdin, --from-env or --from-file.');
  const secret = secretName(name);
  const value = checkValue(await readValue(secret, flags, cli));
  const saved = await api.saveSecret(secret, {
    value,
    ...(flags.description !== undefined && { description: flags.description }),
  });
  if (flags.json) return cli.terminal.out(json(saved));
  const { version, openRuns } = saved;
  cli.terminal.out(
    version === 1
      ? `Created secret ${name}. Use it: npx pilothouse run <workflow> --input-from-secret <input>=${name}`
      : `Replaced the value of secret ${name}, version ${version}${openRuns > 0 ? `. ${count(openRuns, 'open run')} will type the new value` : ''}`,
  );
}

async function deleteOne(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const secret = await api.deleteSecret(secretName(name));
  if (flags.json) return terminal.out(json(secret));
  terminal.out(`Deleted secret ${name}.`);
  if (secret.openRuns > 0) terminal.err(brokenRuns(secret));
}

const brokenRuns = ({ openRuns, workflows }: ProjectSecretView) =>
  `${count(openRuns, 'open run')} (${workflows.map(clean).join(', ')}) will fail at the step that needs it. Set the secret again to let them continue.`;

function secretName(name: string): string {
  const problem = secretNameSchema.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw usage(`Invalid secret name "${clean(name)}".`, [problem]);
  return name;
}

/** @throws CommandError that never contains the value */
async function readValue(name: string, flags: SetFlags, { terminal, environment, cwd }: Cli): Promise<string> {
  const { fromEnv, fromFile } = flags;
  if (fromEnv !== undefined && fromFile !== undefined) throw usage('Use --from-env or --from-file, not both.');
  if (fromEnv !== undefined) {
    const value = environment[fromEnv];
    if (value === undefined) throw usage(`Environment variable ${clean(fromEnv)} is not set.`);
    return value;
  }
  if (fromFile === undefined && terminal.canPrompt) return terminal.promptSecret(`Value of ${name}`);
  const text = fromFile === undefined ? await terminal.readInput() : readText(fromFile, cwd);
  // Editors and `echo` end a text with a line break, which is not part of the value.
  return text.replace(/\r?\n$/, '');
}

function readText(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch {
    throw usage(`Cannot read ${clean(file)}.`);
  }
}

function checkValue(value: string): string {
  if (value === '') {
    throw usage('The value is empty.', [
      'Enter it when prompted, pipe it to stdin, or use --from-env VARIABLE or --from-file FILE.',
    ]);
  }
  if (value.length > MAX_SECRET_CHARS)
    throw usage(`The value has ${value.length} characters.`, [`Use at most ${MAX_SECRET_CHARS}.`]);
  return value;
}
