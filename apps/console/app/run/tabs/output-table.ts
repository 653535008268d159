import type { Json } from '@pilothouse/contract/primitives.schema';

export interface ValueTable {
  /** Key of the rows in the value; '': the value itself. */
  key: string;
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
  const lists = Object.entries(value).flatMap(([key, part]) =>
    Array.isArray(part) && part.some(isObject) ? [tableOf(key, part)] : [],
  );
  const rest = Object.entries(value).filter(([key]) => !lists.some((list) => list.key === key));
  return [...(rest.length > 0 ? [{ key: '', columns: ['Name', 'Value'], rows: rest }] : []), ...lists];
}

/** One row per element. Elements that are no objects get a column of their own. */
function tableOf(key: string, list: readonly Json[]): ValueTable {
  const names = [...new Set(list.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  const plain = list.some((row) => !isObject(row));
  return {
    key,
    columns: plain ? [...names, ''] : names,
    rows: list.map((row) => {
      const cells = names.map((name) => (isObject(row) ? (row[name] ?? null) : null));
      return plain ? [...cells, isObject(row) ? null : row] : cells;
    }),
  };
}
