import { idSchema, type RunView } from '@pilothouse/contract';
import { usage } from '../output/exit-codes.ts';
import type { Api } from './api-port.ts';
import { runTitle } from '../output/run-title.ts';

/** Minimum number of characters of a printed id. In a UUID v7 they are the millisecond. */
const SHORT = 13;

/** Shortens ids to the smallest common length at which they differ. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let length = SHORT;
  const all = new Set(ids);
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length += 1;
  return (id) => id.slice(0, length);
}

/** The short form of one id. */
export const shortId = (id: string) => id.slice(0, SHORT);

/** Help of the argument that names a run. */
export const RUN_ARGUMENT = 'run id, id prefix, or "last"';

const MIN_PREFIX = 4;
const MAX_PAGES = 10;
/** Clock difference between the process that created the id and the one that wrote the row. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Finds a run by its id, an id prefix, or `last`.
 * @throws CommandError when there is none, or more than one
 */
export async function findRun(api: Pick<Api, 'runs' | 'run'>, name: string): Promise<RunView> {
  const prefix = name.trim().toLowerCase();
  if (prefix === 'last') {
    const [newest] = (await api.runs({ limit: 1 })).items;
    if (!newest) throw usage('No runs yet.', ['npx pilothouse run <workflow|file>']);
    return newest;
  }
  if (idSchema.safeParse(prefix).success) return api.run(prefix);
  if (!/^[0-9a-f-]+$/.test(prefix) || prefix.replaceAll('-', '').length < MIN_PREFIX) {
    throw usage(`Invalid run id "${name}". Use the full id, at least its first ${MIN_PREFIX} characters, or "last".`);
  }
  const matches = await runsWithPrefix(api, prefix);
  const [first, second] = matches;
  if (!first) throw usage(`No run with id ${prefix}….`, ['List runs: npx pilothouse runs list']);
  if (second) {
    const short = shortIds(matches.map(({ id }) => id));
    throw usage(
      `${matches.length} runs match ${prefix}. Use more characters.`,
      matches.slice(0, 5).map((run) => `${short(run.id)}  ${runTitle(run, 60)}`),
    );
  }
  return first;
}

/** Lists runs by id prefix. A UUID v7 starts with its creation time, so only runs of that time are listed. */
async function runsWithPrefix(api: Pick<Api, 'runs'>, prefix: string): Promise<RunView[]> {
  const { createdAfter, createdBefore } = timeOf(prefix);
  const matches: RunView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, nextCursor } = await api.runs({ limit: 200, createdAfter, createdBefore, cursor });
    matches.push(...items.filter(({ id }) => id.startsWith(prefix)));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return matches;
}

/** The range of creation times of ids with this prefix. */
export function timeOf(prefix: string): { createdAfter: string; createdBefore: string } {
  const digits = prefix.replaceAll('-', '').slice(0, 12);
  const first = Number.parseInt(digits.padEnd(12, '0'), 16) - CLOCK_SKEW_MS;
  const last = Number.parseInt(digits.padEnd(12, 'f'), 16) + CLOCK_SKEW_MS;
  const instant = (ms: number) => new Date(Math.min(Math.max(0, ms), 253_402_300_799_999)).toISOString();
  return { createdAfter: instant(first), createdBefore: instant(last) };
}
