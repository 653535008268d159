import type { Pool } from '../client/pg-pool.ts';
import { FleetNames } from './fleet-names.ts';

/** A pool that answers with each of `names`; undefined: no such fleet, an error: the database is unavailable. */
function poolOf(...names: (string | undefined | Error)[]) {
  const lookups: string[] = [];
  const query = async (_sql: string, [id = '']: string[]) => {
    lookups.push(id);
    const name = names.shift();
    if (name instanceof Error) throw name;
    return { rows: name === undefined ? [] : [{ name }] };
  };
  return { lookups, pool: { query } as unknown as Pick<Pool, 'query'> };
}

test('a name is read once, also by concurrent requests', async () => {
  const { lookups, pool } = poolOf('default');
  const names = new FleetNames(pool);
  expect(await Promise.all([names.find('a'), names.find('a')])).toEqual(['default', 'default']);
  expect(await names.find('a')).toBe('default');
  const receivedNames: string[] = [];
  names.withName('a', (name) => receivedNames.push(name));
  expect(receivedNames).toEqual(['default']);
  expect(lookups).toEqual(['a']);
});

test('a fleet that is missing is looked up again', async () => {
  const { pool } = poolOf(undefined, 'late');
  const names = new FleetNames(pool);
  expect(await names.find('a')).toBeNull();
  expect(await names.find('a')).toBe('late');
});

test('a failed lookup is reported to find, and withName calls nothing', async () => {
  const { lookups, pool } = poolOf(new Error('away'), new Error('away'), 'default');
  const names = new FleetNames(pool);
  await expect(names.find('a')).rejects.toThrow('away');
  const receivedNames: string[] = [];
  names.withName('a', (name) => receivedNames.push(name));
  await new Promise(setImmediate);
  expect(receivedNames).toEqual([]);
  expect(await names.find('a')).toBe('default');
  expect(lookups).toHaveLength(3);
});
