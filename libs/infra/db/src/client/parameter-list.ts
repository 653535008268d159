import { arrayLiteral, jsonArrayLiteral, type ArrayValue } from './pg-array-literal.ts';

type ScalarType = 'uuid' | 'text' | 'int' | 'bigint' | 'float8' | 'boolean' | 'timestamptz';

type ScalarColumn<Row> = readonly [type: ScalarType, value: (row: Row) => ArrayValue];
type JsonColumn<Row> = readonly [type: 'json' | 'jsonb', value: (row: Row) => unknown];

/** PostgreSQL type of a column and the value of a row. */
type Column<Row> = ScalarColumn<Row> | JsonColumn<Row>;

/** Columns by name, in the order of the SQL text. */
type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/**
 * Parameters of a statement, numbered in the order in which they are added. Each method adds parameters and returns their part of the
 * SQL text; `values` returns the values in the same order. Several objects of columns are one list with a line break between them.
 */
export class ParameterList<Source> {
  private readonly offset: number;
  private readonly parameters: ((source: Source) => readonly unknown[])[] = [];
  private added = 0;

  /** @param offset number of parameters before the first of this list */
  constructor(offset = 0) {
    this.offset = offset;
  }

  /** Number of the last parameter. */
  get last(): number {
    return this.offset + this.added;
  }

  /** Adds one array parameter for each column: `unnest(${parameters}) AS alias(${names})`. */
  arrays<Row>(
    rowsOf: (source: Source) => readonly Row[],
    ...lines: readonly Columns<Row>[]
  ): { parameters: string; names: string } {
    const columns = lines.flatMap((line) => Object.values(line));
    const parameters = linesOf(lines, (_, [type]) => `$${this.nextNumber()}::${type}[]`);
    this.parameters.push((source) => {
      const rows = rowsOf(source);
      return columns.map((column) => encodeColumn(column, rows));
    });
    return { parameters, names: lines.flatMap((line) => Object.keys(line).map(quoteName)).join(', ') };
  }

  /**
   * Adds one JSON parameter with an object for each row: `json_to_recordset(${parameter}) AS alias(${columns})`. The first column is the
   * key: a row in which only the key is defined is left out.
   */
  json<Row>(
    rowsOf: (source: Source) => readonly Row[],
    ...lines: readonly Columns<Row>[]
  ): { parameter: string; columns: string } {
    const columns = lines.flatMap((line) => Object.entries(line));
    this.parameters.push((source) => [JSON.stringify(rowsOf(source).flatMap((row) => recordOf(columns, row)))]);
    return {
      parameter: `$${this.nextNumber()}::json`,
      columns: linesOf(lines, (name, [type]) => `${quoteName(name)} ${type}`),
    };
  }

  /** Adds one parameter without a type. @returns its placeholder */
  scalar(valueOf: (source: Source) => ArrayValue): string {
    this.parameters.push((source) => [valueOf(source)]);
    return `$${this.nextNumber()}`;
  }

  values(source: Source): unknown[] {
    return this.parameters.flatMap((valuesOf) => valuesOf(source));
  }

  private nextNumber(): number {
    this.added += 1;
    return this.last;
  }
}

function linesOf<Row>(lines: readonly Columns<Row>[], write: (name: string, column: Column<Row>) => string): string {
  return lines
    .map((line) =>
      Object.entries(line)
        .map(([name, column]) => write(name, column))
        .join(', '),
    )
    .join(',\n    ');
}

/** Reserved words of SQL among the names of columns. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(['to']);

const quoteName = (name: string): string => (/^[a-z_]+$/.test(name) && !RESERVED_WORDS.has(name) ? name : `"${name}"`);

const isJson = <Row>(column: Column<Row>): column is JsonColumn<Row> => column[0] === 'json' || column[0] === 'jsonb';

const encodeColumn = <Row>(column: Column<Row>, rows: readonly Row[]): string =>
  isJson(column) ? jsonArrayLiteral(rows.map(column[1])) : arrayLiteral(rows.map(column[1]));

/** The defined values of a row; nothing if there is only the key. */
function recordOf<Row>(columns: readonly (readonly [string, Column<Row>])[], row: Row): Record<string, unknown>[] {
  const record: Record<string, unknown> = {};
  let defined = 0;
  for (const [name, [, valueOf]] of columns) {
    const value = valueOf(row);
    if (value === undefined) continue;
    record[name] = value;
    defined += 1;
  }
  return defined > 1 ? [record] : [];
}
