import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { createPool } from '@pilothouse/infra-db';
import { createDatabase } from '@pilothouse/testing/test-database';
import { LogLines } from './testing/log-lines.fixture.ts';

test('the bundled process leads, creates missing workers, and leaves nothing after SIGTERM', async () => {
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'fleet-spec-')));
  await chmod(dataFolder, 0o755);
  const database = await createDatabase();
  const pool = createPool({ databaseUrl: database.url, name: 'spec', log: new LogLines() });
  const sql = `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
    VALUES ($1, 'browser', 'browser', 2, 1, 3, 1, 60, '{}')`;
  await pool.query(sql, [randomUUID()]);

  const worker = [process.execPath, join(import.meta.dirname, 'testing/fake-worker.fixture.ts'), 'silent'];
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../dist/fleet/main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: database.url,
      PILOTHOUSE_GATEWAY_URL: 'ws://127.0.0.1:9',
      PILOTHOUSE_WORKER_COMMAND: JSON.stringify(worker),
      PILOTHOUSE_DATA_DIR: dataFolder,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  // With its whole output.
  const exited = once(child, 'close');

  const decided = async () => (await pool.query('SELECT action, reason, workers, error FROM fleet_decision')).rows;
  const leads = async () => (await decided()).length > 0 && output.includes('leadership acquired');
  expect([await holdsWithin(leads, 60_000), output]).toEqual([true, expect.any(String)]);
  expect(await decided()).toEqual([
    { action: 'create', reason: 'below-min', workers: [expect.stringMatching(/^browser-[a-z2-9]{8}$/)], error: null },
  ]);
  const pids = join(dataFolder, 'fleet/pids');
  expect(await holdsWithin(async () => (await readdir(pids)).length === 1, 30_000)).toBe(true);

  const joins = async () =>
    (
      await pool.query(
        'SELECT token_hash, worker_name, key_hash, used_at, ended_at, expires_at - created_at AS ttl FROM worker_join',
      )
    ).rows;
  const [{ workers: [name] = [] } = {}] = await decided();
  expect(await joins()).toMatchObject([
    {
      token_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      worker_name: name,
      used_at: null,
      ended_at: null,
      ttl: { minutes: 15 },
    },
  ]);

  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(output).toContain('controller stopped');
  expect(await readdir(pids)).toEqual([]);
  expect(await joins()).toMatchObject([{ worker_name: name, ended_at: expect.any(Date) }]);

  await pool.end();
  await database.drop();
  await rm(dataFolder, { recursive: true });
});
