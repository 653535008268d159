import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

/** Start of a page: the sort key of the last item before it. Opaque to clients. */
export const encodeCursor = (position: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

const invalidCursor = () =>
  new PilothouseError(
    'VALIDATION_FAILED',
    'The cursor does not belong to this list. Use `nextCursor` of the previous page.',
    {
      fields: [{ pointer: 'query/cursor', detail: 'Use `nextCursor` of the previous page unchanged.' }],
    },
  );

/**
 * Decodes the position of a cursor.
 * @param check returns whether the position belongs to this list
 * @throws PilothouseError VALIDATION_FAILED
 */
export function decodeCursor<Position>(
  cursor: string | undefined,
  check: (position: unknown[]) => Position | null,
): Position | null {
  if (cursor === undefined) return null;
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw invalidCursor();
  }
  const parsedPosition = Array.isArray(position) ? check(position) : null;
  if (parsedPosition === null) throw invalidCursor();
  return parsedPosition;
}

/**
 * Builds one page of rows.
 * @param rows up to `limit + 1`: the additional one indicates a further page
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  itemOf: (row: Row) => Item,
  positionOf: (row: Row) => readonly (string | number)[],
): Page<Item> {
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  return {
    items: pageRows.map(itemOf),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(positionOf(last)) : null,
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A position by timestamp and id, for lists sorted by age. */
export function parseInstantCursor(position: unknown[]): { instant: Date; id: string } | null {
  const [ms, id] = position;
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || typeof id !== 'string' || !UUID.test(id)) return null;
  const instant = new Date(ms);
  return Number.isNaN(instant.getTime()) ? null : { instant, id };
}

/** Selects rows after a position, newest first. The index is used by timestamp; the id breaks ties. */
export const beforeCursor = ({ instant, id }: { instant: Date; id: string }) => [
  { createdAt: { lte: instant } },
  { OR: [{ createdAt: { lt: instant } }, { id: { lt: id } }] },
];
