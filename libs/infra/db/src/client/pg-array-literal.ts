/** A value of a column. */
export type ArrayValue = string | number | boolean | null | undefined;

/**
 * Encodes a column as a PostgreSQL array literal of any type. The driver would escape values one by one, in several passes.
 * Reading columns with `unnest` takes a quarter of the time of a JSON array of objects.
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
