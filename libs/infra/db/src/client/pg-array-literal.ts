/** One value of a column. */
export type ArrayValue = string | number | boolean | null | undefined;

/**
 * A column of values as the literal of an array of PostgreSQL, of whichever type: the driver escapes values one by one, and in several passes. A
 * statement reads columns by `unnest` in a quarter of the time that a JSON array of objects takes it.
 */
export const arrayLiteral = (cells: readonly ArrayValue[]): string => `{${cells.map(literal).join(',')}}`;

/** A column of JSON; null and undefined become NULL, as in `json_to_recordset`. */
export const jsonArrayLiteral = (values: readonly unknown[]): string =>
  arrayLiteral(values.map((value) => (value === null || value === undefined ? null : JSON.stringify(value))));

function literal(cell: ArrayValue): string {
  if (cell === null || cell === undefined) return 'NULL';
  if (typeof cell !== 'string') return String(cell);
  return `"${/["\\]/.test(cell) ? cell.replaceAll(/["\\]/g, '\\$&') : cell}"`;
}
