import type { Json } from '@pilothouse/contract/primitives.schema';

export interface ValueTable {
  /** Key of the rows in the value; '': the value itself. */
  at: string;
  columns: string[];
  rows: Json[][];
}

type JsonObject = { [name: string]: Json };
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tables for a value: one for each list of objects, and one for the other fields of an object. @returns empty if the value has no tabular form */
export function tablesOf(value: Json): ValueTable[] {
  if (Array.isArray(value)) return value.some(isObject) ? [tableOf('', value)] : [];
  if (!isObject(value)) return [];
  const lists = Object.entries(value).flatMap(([at, part]) =>
    Array.isArray(part) && part.some(isObject) ? [tableOf(at, part)] : [],
  );
  const rest = Object.entries(value).filter(([at]) => !lists.some((list) => list.at === at));
  return [...(rest.length > 0 ? [{ at: '', columns: ['Name', 'Value'], rows: rest }] : []), ...lists];
}

/** One row per element. Elements that are no objects get a column of their own. */
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
