import {
  fieldErrors,
  profileNameSchema,
  storageStateSchema,
  type ProfileView,
  type StorageState,
} from '@pilothouse/contract';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortIds } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { size } from '../output/byte-size.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse profiles`: cookies and local storage that runs begin with; never a value of them. */
export const profilesCommand = (source = oneCli) =>
  newApiCommand(
    'profiles',
    'list the profiles of the project: cookies and local storage that runs begin with',
    ['pilothouse profiles', 'pilothouse profiles --json'],
    source,
  ).action(withApi(source, list));

/** `pilothouse profile`: one of them is imported or deleted. */
export const profileCommand = (source = oneCli) =>
  newCommand(
    'profile',
    'import or delete a profile',
    ['pilothouse profile import harbour state.json', 'pilothouse profile delete harbour'],
    source,
  )
    .addCommand(
      newApiCommand(
        'import',
        'import a storageState of Playwright, in place of the profile of this name',
        [
          'npx playwright codegen --save-storage=state.json https://harbour.example',
          'pilothouse profile import harbour state.json',
        ],
        source,
      )
        .argument('<name>', 'name of the profile')
        .argument('<file>', 'JSON with cookies and origins')
        .action(withApi(source, importOne)),
    )
    .addCommand(
      newApiCommand(
        'delete',
        'delete a profile; runs that begin from now on find none',
        ['pilothouse profile delete harbour'],
        source,
      )
        .argument('<name>', 'name of the profile')
        .action(withApi(source, deleteOne)),
    );

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items: ProfileView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.profiles({ limit: 200, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0)
    return terminal.err(
      'No profiles. A workflow saves one (action: saveProfile), or import one: npx pilothouse profile import <name> <file>',
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
  const heads = ['name', 'version', 'saved', 'size', 'by', 'sites'].map((head) => ({ head, gives: head === 'sites' }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function importOne(api: Api, cli: Cli, flags: ApiOptions, name: string, file: string): Promise<void> {
  const profile = await api.importProfile(profileNamed(name), readState(file, cli.cwd));
  if (flags.json) return cli.terminal.out(json(profile));
  const { version, cookies } = profile;
  cli.terminal.out(`${name} is imported, version ${version}: ${count(cookies, 'cookie')} of ${sites(profile)}`);
}

async function deleteOne(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const profile = await api.deleteProfile(profileNamed(name));
  terminal.out(flags.json ? json(profile) : `${name} is deleted`);
}

/** Domains of cookies, and hosts with storage. */
function sites({ cookieDomains, origins }: ProfileView): string {
  const hosts = origins.map((origin) => new URL(origin).hostname);
  return [...new Set([...cookieDomains, ...hosts])].sort().map(clean).join(', ') || 'no site';
}

/** The name of a profile. @throws CommandError when no profile can have it */
export function profileNamed(name: string): string {
  const problem = profileNameSchema.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw usage(`"${clean(name)}" is no name of a profile.`, [problem]);
  return name;
}

/** @throws CommandError naming the fields that are wrong, never what stands in them */
function readState(file: string, cwd: string): StorageState {
  let text;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch {
    throw usage(`There is no file ${clean(file)} that can be read.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${clean(file)} is no JSON.`);
  }
  const state = storageStateSchema.safeParse(value);
  if (state.success) return state.data;
  const lines = fieldErrors(state.error).map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`);
  throw usage(`${clean(file)} is no storageState of Playwright.`, lines.slice(0, 10));
}
