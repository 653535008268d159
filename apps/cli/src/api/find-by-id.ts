import type { Page } from '@pilothouse/contract/api/query-params';
import { idSchema } from '@pilothouse/contract/primitives.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { usage } from '../output/exit-codes.ts';
import { runTitle } from '../output/run-title.ts';
import { clean } from '../output/sanitize-text.ts';
import type { Api } from './api-port.ts';
import { readPages, type PageRequest } from './read-pages.ts';

/** Minimum number of characters of a printed id. In a UUID v7 they are the millisecond. */
const SHORT = 13;

/** Shortens ids to the smallest common length at which they differ. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let length = SHORT;
  const uniqueIds = new Set(ids);
  while (length < 36 && new Set([...uniqueIds].map((id) => id.slice(0, length))).size < uniqueIds.size) length += 1;
  return (id) => id.slice(0, length);
}

/** The short form of one id. */
export const shortId = (id: string) => id.slice(0, SHORT);

/** Help of the argument that names an object. @param noun singular */
export const idArgumentHelp = (noun: string) => `${noun} id, id prefix, or "last"`;

/** Help of the argument that names a run. */
export const RUN_ARGUMENT = idArgumentHelp('run');

const MIN_PREFIX = 4;
/** Maximum number of listed objects among which a prefix is searched. */
const MAX_SEARCH_ITEMS = 10_000;
/** Clock difference between the process that created the id and the one that wrote the row. */
const CLOCK_SKEW_MS = 60_000;

/** Describes how to find an object of one kind by id prefix. */
export interface IdSearch<Item extends { readonly id: string }> {
  /** Singular, for messages. */
  readonly noun: string;
  /** Advice if nothing is found. */
  readonly hint: string;
  /** Advice if there is no object at all (default: `hint`). */
  readonly emptyHint?: string;
  /** Reads a page of the list, newest first. @param prefix undefined: only the newest object is needed */
  readPage(page: PageRequest, prefix?: string): Promise<Page<Item>>;
  /** Length at which the list ends although more objects may exist (default: the list is complete). */
  readonly maxListed?: number;
  /** Text beside the id of one of several matches. */
  describe?(item: Item): string;
}

/** True for the prefix of an id that is long enough for a search. */
export const isIdPrefix = (text: string): boolean =>
  /^[0-9a-f-]+$/.test(text) && text.replaceAll('-', '').length >= MIN_PREFIX;

/**
 * Finds an object by its id, an id prefix, or `last`.
 * @throws CommandError if none or several match
 */
export async function findById<Item extends { readonly id: string }>(
  name: string,
  search: IdSearch<Item> & { read(id: string): Promise<Item> },
): Promise<Item> {
  const id = fullIdOf(name);
  return id === null ? findInList(name, search) : search.read(id);
}

/**
 * Finds the id of an object by an id prefix, or `last`. A full id is returned without a request.
 * @throws CommandError if none or several match
 */
export const findId = async <Item extends { readonly id: string }>(name: string, search: IdSearch<Item>) =>
  fullIdOf(name) ?? (await findInList(name, search)).id;

/** Trimmed and in lower case, as ids are. */
export const normalizeId = (name: string) => name.trim().toLowerCase();

function fullIdOf(name: string): string | null {
  const parsed = idSchema.safeParse(normalizeId(name));
  return parsed.success ? parsed.data : null;
}

async function findInList<Item extends { readonly id: string }>(
  name: string,
  { noun, hint, emptyHint = hint, readPage, maxListed, describe }: IdSearch<Item>,
): Promise<Item> {
  const prefix = normalizeId(name);
  if (prefix === 'last') {
    const [newest] = (await readPage({ limit: 1 })).items;
    if (!newest) throw usage(`No ${noun}s yet.`, [emptyHint]);
    return newest;
  }
  if (!isIdPrefix(prefix))
    throw usage(
      `Invalid ${noun} id "${clean(name)}". Use the full id, at least its first ${MIN_PREFIX} characters, or "last".`,
    );
  const { items, hasMore } = await readPages((page) => readPage(page, prefix), MAX_SEARCH_ITEMS);
  const matches = items.filter(({ id }) => id.startsWith(prefix));
  const [first, second] = matches;
  if (second) {
    const short = shortIds(matches.map(({ id }) => id));
    throw usage(
      `${matches.length} ${noun}s match ${prefix}. Use more characters.`,
      matches.slice(0, 5).map((item) => [short(item.id), ...(describe ? [describe(item)] : [])].join('  ')),
    );
  }
  // An older object may match, too.
  if (hasMore || items.length === maxListed)
    throw usage(`There are too many ${noun}s to find ${prefix}. Use the full id.`, [hint]);
  if (!first) throw usage(`No ${noun} with id ${prefix}….`, [hint]);
  return first;
}

/**
 * Finds a run by its id, an id prefix, or `last`.
 * @throws CommandError if none or several match
 */
export const findRun = (api: Pick<Api, 'runs' | 'run'>, name: string): Promise<RunView> =>
  findById(name, {
    noun: 'run',
    hint: 'List runs: npx pilothouse runs list',
    emptyHint: 'npx pilothouse run <workflow|file>',
    read: (id) => api.run(id),
    // A UUID v7 starts with its creation time, so only runs of that time are listed.
    readPage: (page, prefix) => api.runs({ ...page, ...(prefix !== undefined && timeOf(prefix)) }),
    describe: (run) => runTitle(run, 60),
  });

/** The range of creation times of ids with this prefix. */
export function timeOf(prefix: string): { createdAfter: string; createdBefore: string } {
  const digits = prefix.replaceAll('-', '').slice(0, 12);
  const first = Number.parseInt(digits.padEnd(12, '0'), 16) - CLOCK_SKEW_MS;
  const last = Number.parseInt(digits.padEnd(12, 'f'), 16) + CLOCK_SKEW_MS;
  const instant = (ms: number) => new Date(Math.min(Math.max(0, ms), 253_402_300_799_999)).toISOString();
  return { createdAfter: instant(first), createdBefore: instant(last) };
}
