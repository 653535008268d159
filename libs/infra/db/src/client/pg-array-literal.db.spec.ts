import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { arrayLiteral, jsonArrayLiteral } from './pg-array-literal.ts';
import { createPool, type Pool } from './pg-pool.ts';

describe('a column', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const read = async (type: string, cells: string) =>
    (await pool.query<{ cell: unknown }>(`SELECT cell FROM unnest($1::${type}[]) AS cell`, [cells])).rows.map(
      ({ cell }) => cell,
    );

  it('of texts survives a round trip, whatever the characters', async () => {
    const texts = [
      '',
      ' ',
      'NULL',
      '{a,b}',
      'a "quoted" word',
      'back\\slash\\"',
      'two\nlines\tand a tab',
      'ä 🙂',
      null,
    ];
    expect(await read('text', arrayLiteral(texts))).toEqual(texts);
  });

  it('of numbers, booleans, timestamps and nulls survives a round trip', async () => {
    expect(await read('int', arrayLiteral([1, -2, undefined, null]))).toEqual([1, -2, null, null]);
    expect(await read('boolean', arrayLiteral([true, false, undefined]))).toEqual([true, false, null]);
    expect(await read('timestamptz', arrayLiteral(['2026-01-02T03:04:05.678Z']))).toEqual([
      new Date('2026-01-02T03:04:05.678Z'),
    ]);
    expect(await read('uuid', arrayLiteral([]))).toEqual([]);
  });

  it('of JSON survives a round trip; null is no value', async () => {
    const values = [{ text: 'a "word", a \\ and\na line', list: [1, null, { deep: true }] }, 'NULL', [], 0, false];
    expect(await read('json', jsonArrayLiteral(values))).toEqual(values);
    expect(await read('json', jsonArrayLiteral([null, undefined]))).toEqual([null, null]);
  });
});
