import { randomUUID } from 'node:crypto';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStorage } from '@pilothouse/infra-blob';
import { createPool, RetentionStore, saveTraceScore, type Pool } from '@pilothouse/infra-db';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import sharp from 'sharp';
import type { Stack } from '../harness/stack.ts';

/** A step of a seeded trace. */
export interface SeededStep {
  readonly quality?: 'good' | 'bad' | 'unknown';
  /** Screenshot of the step: stored, announced without a file, or none. */
  readonly screenshot?: 'stored' | 'missing' | 'none';
  readonly record?: Partial<TurnRecord>;
}

export interface SeededTrace {
  readonly workflow: string;
  readonly steps: readonly SeededStep[];
}

/** Stores a finished run with its turn records, and a scored trace, as worker and job runner do. @returns id of the run */
export const seedTrace = (stack: Stack, { workflow, steps }: SeededTrace): Promise<string> =>
  withPool(stack, (pool) => insertTrace(stack, pool, workflow, steps));

/** Deletes a seeded run, as retention does. */
export const removeSeededRun = (stack: Stack, run: string): Promise<void> =>
  withPool(stack, async (pool) => {
    await pool.query('DELETE FROM artifact WHERE run_id = $1', [run]);
    await new RetentionStore(pool).removeRuns([run], new Date());
  });

/** Runs work with a connection to the database of a stack. */
export async function withPool<Result>(stack: Stack, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = createPool({ databaseUrl: stack.database.url, max: 1, name: 'seed', log: memoryLog() });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function insertTrace(stack: Stack, pool: Pool, workflow: string, steps: readonly SeededStep[]): Promise<string> {
  const run = randomUUID();
  await pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status, created_at, finished_at)
     SELECT $1, p.id, f.id, $2, 'browser', '{}', 1, '{}', '{}', '{}', '{}', 'completed', now(), now()
     FROM (SELECT id FROM project WHERE slug = 'default') p, (SELECT id FROM fleet LIMIT 1) f`,
    [run, workflow],
  );
  await pool.query(
    `INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at)
     SELECT id, project_id, workflow_name, surface, status, created_at FROM run WHERE id = $1`,
    [run],
  );
  const storage = { kind: 'folder' as const, dir: stack.objects };
  const options = { store: storage, apiBaseUrl: stack.client.url, signingSecret: Buffer.alloc(32) };
  const objects = (await createObjectStorage(options, systemClock)).store;
  const addArtifact = async (name: string, contentType: string, content: Buffer | null) => {
    const [id, key] = [randomUUID(), `runs/${run}/1/${name}`];
    await pool.query(
      `INSERT INTO artifact (id, run_id, epoch, step, kind, name, content_type, size, key, stored_at)
       VALUES ($1, $2, 1, 0, 'turn', $3, $4, $5, $6, now())`,
      [id, run, name, contentType, content?.length ?? 0, key],
    );
    if (content) await objects.put(key, content, { contentType, maxBytes: content.length });
    return id;
  };
  const scored = [];
  for (const [index, { quality = 'good', screenshot = 'stored', record }] of steps.entries()) {
    const ordinal = index + 1;
    const image = screenshot === 'stored' ? await imageOf(ordinal) : null;
    const screenshotId = screenshot === 'none' ? null : await addArtifact(`turn-0-${ordinal}.jpg`, 'image/jpeg', image);
    const turn = turnRecord({
      run,
      turn: ordinal,
      order: ordinal,
      thought: `Step ${ordinal} of ${workflow}.`,
      ...record,
    });
    const stored = await addArtifact(`turn-0-${ordinal}.json`, 'application/json', Buffer.from(JSON.stringify(turn)));
    scored.push({
      ...{
        label: randomUUID(),
        ordinal,
        step: 0,
        turn: ordinal,
        branch: null,
        record: stored,
        screenshot: screenshotId,
      },
      ...{ thought: turn.thought, actions: [], quality, reason: 'Checked', source: 'rule' as const },
      ...{ isDoubtful: false, note: null, correctedThought: null, correctedActions: null },
    });
  }
  await saveTraceScore(pool, {
    ...{ run, goal: 'Order three ropes', model: 'gemini/flash', sites: ['shop.test'], note: null },
    ...{ version: '1.1', steps: scored },
  });
  return run;
}

/** A page with a block whose place and color depend on a number. */
const imageOf = (number: number) =>
  sharp({ create: { width: 1000, height: 800, channels: 3, background: '#fff' } })
    .composite([
      {
        input: { create: { width: 300, height: 300, channels: 3, background: number % 2 ? '#000' : '#36c' } },
        left: (number * 97) % 700,
        top: (number * 61) % 500,
      },
    ])
    .jpeg()
    .toBuffer();
