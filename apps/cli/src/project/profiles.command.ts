import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import {
  profileNameSchema,
  storageStateSchema,
  type ProfileView,
  type StorageState,
} from '@pilothouse/contract/project/profile.schema';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortIds } from '../api/find-by-id.ts';
import { readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { size } from '../output/byte-size.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse profiles`. Never prints the value of a cookie. */
export const profilesCommand = (source = processSource) =>
  newNoun(
    'profiles',
    'List, import and delete browser profiles.',
    [
      newApiCommand(
        'list',
        'List browser profiles (cookies and local storage that runs start with).',
        ['pilothouse profiles list', 'pilothouse profiles list --json'],
        source,
      ).action(withApi(source, list)),
      newApiCommand(
        'import',
        'Import a Playwright storageState file, replacing the profile of that name.',
        [
          'npx playwright codegen --save-storage=state.json https://harbour.example',
          'pilothouse profiles import harbour state.json',
        ],
        source,
      )
        .argument('<name>', 'profile name')
        .argument('<file>', 'Playwright storageState JSON')
        .action(withApi(source, importOne)),
      newApiCommand(
        'delete',
        'Delete a profile. New runs no longer find it.',
        ['pilothouse profiles delete harbour', 'pilothouse profiles delete harbour --json'],
        source,
      )
        .argument('<name>', 'profile name')
        .action(withApi(source, deleteOne)),
    ],
    source,
  );

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const { items } = await readPages((page) => api.profiles(page));
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0)
    return terminal.err(
      'No profiles. Save one in a workflow (action: saveProfile) or import one: npx pilothouse profiles import <name> <file>',
    );
  const name = shortIds(items.flatMap(({ run }) => run ?? []));
  const rows = items.map((profile) => [
    profile.name,
    String(profile.version),
    relative(profile.updatedAt, now()),
    size(profile.size),
    profile.run === null ? 'imported' : name(profile.run),
    sites(profile),
  ]);
  const heads = ['name', 'version', 'saved', 'size', 'created by', 'sites'].map((head) => ({
    head,
    canShrink: head === 'sites',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function importOne(api: Api, cli: Cli, flags: ApiOptions, name: string, file: string): Promise<void> {
  const profile = await api.importProfile(profileName(name), readState(file, cli.cwd));
  if (flags.json) return cli.terminal.out(json(profile));
  const { version, cookies } = profile;
  cli.terminal.out(`Imported profile ${name}, version ${version}: ${count(cookies, 'cookie')}, ${sites(profile)}`);
}

async function deleteOne(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const profile = await api.deleteProfile(profileName(name));
  terminal.out(flags.json ? json(profile) : `Deleted profile ${name}.`);
}

/** Domains of cookies, and hosts with storage. */
function sites({ cookieDomains, origins }: ProfileView): string {
  const hosts = origins.map((origin) => new URL(origin).hostname);
  return [...new Set([...cookieDomains, ...hosts])].sort().map(clean).join(', ') || 'no domains';
}

/** Checks the name of a profile. @throws CommandError when it is invalid */
export function profileName(name: string): string {
  const problem = profileNameSchema.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw usage(`Invalid profile name "${clean(name)}".`, [problem]);
  return name;
}

/** @throws CommandError naming the invalid fields, never their values */
function readState(file: string, cwd: string): StorageState {
  let text;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch {
    throw usage(`Cannot read ${clean(file)}.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${clean(file)}: invalid JSON.`);
  }
  const state = storageStateSchema.safeParse(value);
  if (state.success) return state.data;
  const lines = fieldErrors(state.error).map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`);
  throw usage(`${clean(file)}: not a Playwright storageState.`, lines.slice(0, 10));
}
