import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { announceArtifact, isStored } from '../file/artifact.store.ts';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { addRun } from './run.fixture.ts';
import { RunWriter } from './run-writer.ts';

/** Advisory lock that blocks writers of events. */
const GATE = 1;

describe('marking an artifact as stored', () => {
  let database: TestDatabase;
  let wire: TcpProxy;
  let pool: Pool;
  let gateway: Pool;
  let run: string;

  beforeAll(async () => {
    database = await createDatabase();
    wire = await startTcpProxy(database.url);
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    gateway = createPool({ databaseUrl: wire.url, name: 'gateway', log: memoryLog() });
    run = await addRun(pool);
    await pool.query(`
      CREATE FUNCTION pass() RETURNS trigger AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NEW; END' LANGUAGE plpgsql;
      CREATE TRIGGER gate BEFORE INSERT ON run_event FOR EACH ROW EXECUTE FUNCTION pass();
    `);
  });
  afterEach(() => wire.flow());
  afterAll(async () => {
    await gateway.end();
    await wire.close();
    await pool.end();
    await database.drop();
  });

  const facts = { step: 0, kind: 'screenshot', name: 'a.png', contentType: 'image/png', size: 7 } as const;

  async function announced(): Promise<string> {
    const artifact = randomUUID();
    await announceArtifact(pool, { id: artifact, run, epoch: 0, key: artifact, ...facts });
    return artifact;
  }

  function note(connection: Pool, artifact: string) {
    const events = [createEvent('artifact.created', 'Stored the screenshot a.png', { artifact, ...facts }, new Date())];
    return new RunWriter({ pool: connection }).markArtifactStored(
      { id: artifact, size: 7, contentType: 'image/png' },
      { run, guard: { from: ['running'] }, events },
    );
  }

  const waiting = (sessions: number) =>
    until('they wait', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === sessions;
    });

  /** Blocks writers of events, and their runs, until the gate is opened. @returns opens the gate */
  async function shut(): Promise<() => Promise<void>> {
    const keeper = await pool.connect();
    await keeper.query('SELECT pg_advisory_lock($1)', [GATE]);
    return async () => {
      await keeper.query('SELECT pg_advisory_unlock($1)', [GATE]);
      keeper.release();
    };
  }

  const readEvents = async (artifact: string) =>
    (await pool.query(`SELECT FROM run_event WHERE type = 'artifact.created' AND data->>'artifact' = $1`, [artifact]))
      .rowCount;

  it('blocks no other writer of the run while the gateway is suspended', async () => {
    const artifact = await announced();
    const open = await shut();
    const noting = note(gateway, artifact);
    await waiting(1);
    wire.hang();
    await open();
    await until('the run is free', async () => {
      const { rowCount } = await pool.query('SELECT FROM run WHERE id = $1 FOR UPDATE SKIP LOCKED', [run]);
      return rowCount === 1;
    });
    expect(await isStored(pool, artifact)).toBe(true);
    expect(await readEvents(artifact)).toBe(1);
    wire.flow();
    expect(await noting).toBe('noted');
  });

  it('writes one event for two concurrent requests', async () => {
    const artifact = await announced();
    const open = await shut();
    const first = note(pool, artifact);
    await waiting(1);
    const second = note(gateway, artifact);
    await waiting(2);
    await open();
    expect(await Promise.all([first, second])).toEqual(['noted', 'known']);
    expect(await readEvents(artifact)).toBe(1);
  });

  it('refuses a file after the end of the run, so that no record follows a score', async () => {
    const artifact = await announced();
    await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [run]);
    expect(await note(pool, artifact)).toBe('refused');
    expect(await isStored(pool, artifact)).toBe(false);
  });
});
