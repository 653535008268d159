import type { Pool } from '../client/pg-pool.ts';
import { FleetNames } from './fleet-names.ts';

/** A pool that answers with each of `names`; undefined: no such fleet, an error: the database is unavailable. */
function poolOf(...names: (string | undefined | Error)[]) {
  const asked: string[] = [];
  const query = async (_sql: string, [id = '']: string[]) => {
    asked.push(id);
    const name = names.shift();
    if (name instanceof Error) throw name;
    return { rows: name === undefined ? [] : [{ name }] };
  };
  return { asked, pool: { query } as unknown as Pick<Pool, 'query'> };
}

test('a name is read once, also by concurrent requests', async () => {
  const { asked, pool } = poolOf('default');
  const names = new FleetNames(pool);
  expect(await Promise.all([names.find('a'), names.find('a')])).toEqual(['default', 'default']);
  expect(await names.find('a')).toBe('default');
  const told: string[] = [];
  names.withName('a', (name) => told.push(name));
  expect(told).toEqual(['default']);
  expect(asked).toEqual(['a']);
});

test('a fleet that is missing is looked up again', async () => {
  const { pool } = poolOf(undefined, 'late');
  const names = new FleetNames(pool);
  expect(await names.find('a')).toBeNull();
  expect(await names.find('a')).toBe('late');
});

test('a failed lookup is reported to find, and withName calls nothing', async () => {
  const { asked, pool } = poolOf(new Error('away'), new Error('away'), 'default');
  const names = new FleetNames(pool);
  await expect(names.find('a')).rejects.toThrow('away');
  const told: string[] = [];
  names.withName('a', (name) => told.push(name));
  await new Promise(setImmediate);
  expect(told).toEqual([]);
  expect(await names.find('a')).toBe('default');
  expect(asked).toHaveLength(3);
});
