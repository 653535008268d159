import { roles, type ApiKeyView, type Role } from '@pilothouse/contract';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
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

/** `pilothouse keys`: API keys of the project; for admins. */
export const keysCommand = (source = oneCli) =>
  newApiCommand(
    'keys',
    'list the API keys of the project',
    ['pilothouse keys', 'pilothouse keys create --name ci --role operator --expires-in 90d > ci.key'],
    source,
  )
    .action(withApi(source, list))
    .addCommand(
      newApiCommand(
        'create',
        'make an API key; it is printed, alone, to stdout, and never shown again',
        [
          'pilothouse keys create --name ci --role operator --expires-in 90d > ci.key',
          'pilothouse keys create --name dashboard --role viewer',
        ],
        source,
      )
        .requiredOption('--name <name>', 'who or what uses it')
        .addOption(new Option('--role <role>', 'what it may do').choices(roles).default('operator'))
        .option('--expires-in <time>', 'e.g. 12h, 90d (default: never)', seconds)
        .action(withApi(source, create)),
    )
    .addCommand(
      newApiCommand(
        'revoke',
        'revoke an API key: from now on it opens nothing',
        ['pilothouse keys revoke ph_live_x', 'pilothouse keys revoke 0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f'],
        source,
      )
        .argument('<key>', 'id of the key, the beginning of it, or how the key begins')
        .action(withApi(source, revoke)),
    );

async function all(api: Api): Promise<ApiKeyView[]> {
  const items: ApiKeyView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.keys({ limit: 200, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return items;
}

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await all(api);
  if (flags.json) return terminal.out(json({ items }));
  const when = (instant: string | null, none: string) => (instant === null ? none : relative(instant, now()));
  const rows = items.map(({ id, name, role, prefix, revokedAt, expiresAt, lastUsedAt }) => [
    id,
    `${clean(prefix)}…`,
    clean(name),
    role,
    revokedAt ? terminal.style.red(`revoked ${relative(revokedAt, now())}`) : when(expiresAt, 'never'),
    when(lastUsedAt, 'never'),
  ]);
  const heads = ['id', 'begins', 'name', 'role', 'expires', 'last used'].map((head) => ({ head }));
  for (const line of table(heads, rows, terminal.style)) terminal.out(line);
}

async function create(api: Api, { terminal, now }: Cli, flags: CreateFlags): Promise<void> {
  const { name, role, expiresIn } = flags;
  const created = await api.createKey({ name, role, expiresIn });
  if (flags.json) return terminal.out(json(created));
  terminal.out(created.key);
  const until = created.expiresAt === null ? 'never expires' : `expires ${relative(created.expiresAt, now())}`;
  terminal.err(terminal.errStyle.dim(`${clean(name)}, ${role}, ${until}. Keep it: it is shown only now.`));
}

async function revoke(api: Api, { terminal }: Cli, flags: ApiOptions, given: string): Promise<void> {
  const found = (await all(api)).filter(
    ({ id, prefix }) => id.startsWith(given) || (given.startsWith('ph_') && prefix.startsWith(given)),
  );
  const [key, second] = found;
  if (!key) throw usage(`No key begins with ${given}.`, ['npx pilothouse keys shows what there is']);
  if (second) throw usage(`${found.length} keys begin with ${given}; give more of the id.`);
  const revoked = await api.revokeKey(key.id);
  terminal.out(flags.json ? json(revoked) : `${clean(revoked.name)} is revoked`);
}
