import type { ApiKeyView } from '@pilothouse/contract/project/api-key.schema';
import { roles, type Role } from '@pilothouse/contract/project/project-roles';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { readPages } from '../api/read-pages.ts';
import { table } from '../output/text-table.ts';
import { clean } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { usage } from '../output/exit-codes.ts';
import { seconds } from '../runs/create-run.command.ts';

interface CreateFlags extends ApiOptions {
  readonly name: string;
  readonly role: Role;
  readonly expiresIn?: number;
}

/** `pilothouse keys`; for admins. */
export const keysCommand = (source = processSource) =>
  newNoun(
    'keys',
    'List, create and revoke API keys.',
    [
      newApiCommand('list', 'List API keys.', ['pilothouse keys list', 'pilothouse keys list --json'], source).action(
        withApi(source, list),
      ),
      newApiCommand(
        'create',
        'Create an API key. Prints only the key; it is not shown again.',
        [
          'pilothouse keys create --name ci --role operator --expires-in 90d > ci.key',
          'pilothouse keys create --name dashboard --role viewer',
        ],
        source,
      )
        .requiredOption('--name <name>', 'key name')
        .addOption(new Option('--role <role>', 'viewer, operator or admin').choices(roles).default('operator'))
        .option('--expires-in <time>', 'expiry, e.g. 12h or 90d (default: never)', seconds)
        .action(withApi(source, create)),
      newApiCommand(
        'revoke',
        'Revoke an API key immediately.',
        ['pilothouse keys revoke ph_live_x', 'pilothouse keys revoke 0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f'],
        source,
      )
        .argument('<key>', 'key id, id prefix, or key prefix')
        .action(withApi(source, revoke)),
    ],
    source,
  );

const allKeys = async (api: Api): Promise<ApiKeyView[]> => (await readPages((page) => api.keys(page))).items;

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await allKeys(api);
  if (flags.json) return terminal.out(json({ items }));
  const timeText = (instant: string | null, none: string) => (instant === null ? none : relative(instant, now()));
  const rows = items.map(({ id, name, role, prefix, revokedAt, expiresAt, lastUsedAt }) => [
    id,
    `${clean(prefix)}…`,
    clean(name),
    role,
    revokedAt ? terminal.style.red(`revoked ${relative(revokedAt, now())}`) : timeText(expiresAt, 'never'),
    timeText(lastUsedAt, 'never'),
  ]);
  const heads = ['id', 'prefix', 'name', 'role', 'expires', 'last used'].map((head) => ({ head }));
  for (const line of table(heads, rows, terminal.style)) terminal.out(line);
}

async function create(api: Api, { terminal, now }: Cli, flags: CreateFlags): Promise<void> {
  const { name, role, expiresIn } = flags;
  const created = await api.createKey({ name, role, expiresIn });
  if (flags.json) return terminal.out(json(created));
  terminal.out(created.key);
  const expiryText = created.expiresAt === null ? 'never expires' : `expires ${relative(created.expiresAt, now())}`;
  terminal.err(terminal.errStyle.dim(`${clean(name)}, ${role}, ${expiryText}. Save it now; it is not shown again.`));
}

async function revoke(api: Api, { terminal }: Cli, flags: ApiOptions, prefix: string): Promise<void> {
  const matches = (await allKeys(api)).filter(
    (key) => key.id.startsWith(prefix) || (prefix.startsWith('ph_') && key.prefix.startsWith(prefix)),
  );
  const [key, second] = matches;
  if (!key) throw usage(`Key ${prefix} not found.`, ['List keys: npx pilothouse keys list']);
  if (second) throw usage(`${matches.length} keys match ${prefix}. Use more characters.`);
  const revoked = await api.revokeKey(key.id);
  terminal.out(flags.json ? json(revoked) : `Revoked ${clean(revoked.name)}.`);
}
