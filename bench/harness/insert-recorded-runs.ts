/**
 * Inserts finished runs with recorded turns, and a scoring job for each. No rule applies to a turn, so that the model scores each.
 * Usage: `insert-recorded-runs.ts RUNS TURNS`, with the variables of the job runner.
 */
import { randomUUID } from 'node:crypto';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import { jobsConfig } from '@pilothouse/infra-config';
import { announceArtifact, createPool, JobStore, markStored, type Pool } from '@pilothouse/infra-db';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';

/** Bytes of a screenshot. The model receives it with each turn. */
const SCREENSHOT_BYTES = 60_000;

interface Stores {
  readonly pool: Pool;
  readonly objects: BlobStore;
}

interface Owner {
  readonly project: string;
  readonly fleet: string;
}

async function readOwner({ pool }: Stores): Promise<Owner> {
  const { rows } = await pool.query<Owner>('SELECT p.id AS project, f.id AS fleet FROM project p, fleet f LIMIT 1');
  if (!rows[0]) throw new Error('The database has no project, or no fleet');
  return rows[0];
}

/** Stores a file of a run. @returns its id */
async function storeFile({ pool, objects }: Stores, run: string, name: string, body: Buffer): Promise<string> {
  const [id, key] = [randomUUID(), `runs/${run}/${name}`];
  const contentType = name.endsWith('.jpg') ? 'image/jpeg' : 'application/json';
  await announceArtifact(pool, {
    ...{ id, run, epoch: 1, step: 0, kind: 'turn', key },
    ...{ name, contentType, size: body.length },
  });
  await objects.put(key, body, { contentType, maxBytes: body.length });
  await markStored(pool, id, body.length);
  return id;
}

/** Stores a finished run with its turns. @returns its id */
async function insertRun(stores: Stores, { project, fleet }: Owner, turns: number): Promise<string> {
  const run = randomUUID();
  await stores.pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status)
     VALUES ($1, $2, $3, 'shop', 'browser', '{}', 1, '{}', '{}', '{}', '{}', 'completed')`,
    [run, project, fleet],
  );
  await stores.pool.query(
    `INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at) VALUES ($1, $2, 'shop', 'browser', 'completed', now())`,
    [run, project],
  );
  for (let turn = 1; turn <= turns; turn += 1) {
    const artifact = await storeFile(stores, run, `turn-0-${turn}.jpg`, Buffer.alloc(SCREENSHOT_BYTES, turn));
    const record = turnRecord();
    const document = {
      ...{ ...record, run, turn, order: turn },
      // Another page each time: the rules find no loop.
      observation: { ...record.observation, url: `https://shop.test/${turn}` },
      screenshot: { artifact, width: 1280, height: 800, scale: 1, hasMarks: false },
    };
    await storeFile(stores, run, `turn-0-${turn}.json`, Buffer.from(JSON.stringify(document)));
  }
  return run;
}

const [runs = 0, turns = 0] = process.argv.slice(2).map(Number);
const { databaseUrl, objectStore } = jobsConfig();
const pool = createPool({ databaseUrl, name: 'benchmark', log: memoryLog() });
try {
  const stores = { pool, objects: await createObjectStore(objectStore, systemClock) };
  const owner = await readOwner(stores);
  const jobs = new JobStore(pool);
  for (let count = 0; count < runs; count += 1) {
    const run = await insertRun(stores, owner, turns);
    await jobs.insert({ id: randomUUID(), project: owner.project, kind: 'score', params: { run } });
  }
} finally {
  await pool.end();
}
