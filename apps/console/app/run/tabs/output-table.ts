import type { Json } from '@pilothouse/contract';

/** A value as rows and columns. */
export interface ValueTable {
  /** Where in the value the rows stand; '': they are the value. */
  at: string;
  columns: string[];
  rows: Json[][];
}

type JsonObject = { [name: string]: Json };
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What of a value reads better as a table: a list of objects, the lists of objects in an object, and what else an object has as names and
 * values. @returns none where a value is no more than itself
 */
export function tablesOf(value: Json): ValueTable[] {
  if (Array.isArray(value)) return value.some(isObject) ? [tableOf('', value)] : [];
  if (!isObject(value)) return [];
  const lists = Object.entries(value).flatMap(([at, part]) =>
    Array.isArray(part) && part.some(isObject) ? [tableOf(at, part)] : [],
  );
  const rest = Object.entries(value).filter(([at]) => !lists.some((list) => list.at === at));
  return [...(rest.length > 0 ? [{ at: '', columns: ['Name', 'Value'], rows: rest }] : []), ...lists];
}

/** One row an element; what is no object stands in a column of its own. */
function tableOf(at: string, list: readonly Json[]): ValueTable {
  const names = [...new Set(list.flatMap((one) => (isObject(one) ? Object.keys(one) : [])))];
  const plain = list.some((one) => !isObject(one));
  return {
    at,
    columns: plain ? [...names, ''] : names,
    rows: list.map((one) => {
      const cells = names.map((name) => (isObject(one) ? (one[name] ?? null) : null));
      return plain ? [...cells, isObject(one) ? null : one] : cells;
    }),
  };
}
