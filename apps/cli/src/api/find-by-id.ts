import { idSchema, type RunView } from '@pilothouse/contract';
import { usage } from '../output/exit-codes.ts';
import type { Api } from './api-port.ts';

/** Characters of an id that people are shown at least: of a UUID v7 they are its millisecond. */
const SHORT = 13;

/** Short forms of ids, as long as they have to be to stay different. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let length = SHORT;
  const all = new Set(ids);
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length += 1;
  return (id) => id.slice(0, length);
}

/** The short form of one id. */
export const shortId = (id: string) => id.slice(0, SHORT);

const LEAST = 4;
const PAGES = 10;
/** The clock of who made the id may differ from the one of who wrote the row. */
const CLOCKS_MS = 60_000;

/**
 * The run that a person means: a whole id, the beginning of one, or `last`.
 * @throws CommandError when there is none, or more than one
 */
export async function findRun(api: Pick<Api, 'runs' | 'run'>, given: string): Promise<RunView> {
  const asked = given.trim().toLowerCase();
  if (asked === 'last') {
    const [newest] = (await api.runs({ limit: 1 })).items;
    if (!newest) throw usage('There is no run yet.', ['npx pilothouse run <workflow|file>']);
    return newest;
  }
  if (idSchema.safeParse(asked).success) return api.run(asked);
  if (!/^[0-9a-f-]+$/.test(asked) || asked.replaceAll('-', '').length < LEAST) {
    throw usage(`"${given}" is no run: give its id, at least the first ${LEAST} characters of it, or "last".`);
  }
  const found = await startingWith(api, asked);
  const [first, second] = found;
  if (!first) throw usage(`No run begins with ${asked}.`, ['npx pilothouse runs shows what there is']);
  if (second) {
    const name = shortIds(found.map(({ id }) => id));
    throw usage(
      `${found.length} runs begin with ${asked}; give more of the id.`,
      found.slice(0, 5).map(({ id, workflow }) => `${name(id)}  ${workflow?.name ?? 'steps'}`),
    );
  }
  return first;
}

/** Runs by the beginning of their id. It is a UUID v7 and so says when the run was made: only that time is looked at. */
async function startingWith(api: Pick<Api, 'runs'>, prefix: string): Promise<RunView[]> {
  const { createdAfter, createdBefore } = timeOf(prefix);
  const found: RunView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { items, nextCursor } = await api.runs({ limit: 200, createdAfter, createdBefore, cursor });
    found.push(...items.filter(({ id }) => id.startsWith(prefix)));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return found;
}

/** The time in which an id that begins so was made. */
export function timeOf(prefix: string): { createdAfter: string; createdBefore: string } {
  const digits = prefix.replaceAll('-', '').slice(0, 12);
  const first = Number.parseInt(digits.padEnd(12, '0'), 16) - CLOCKS_MS;
  const last = Number.parseInt(digits.padEnd(12, 'f'), 16) + CLOCKS_MS;
  const instant = (ms: number) => new Date(Math.min(Math.max(0, ms), 253_402_300_799_999)).toISOString();
  return { createdAfter: instant(first), createdBefore: instant(last) };
}
