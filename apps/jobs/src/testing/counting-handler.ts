import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { systemTimers } from '@pilothouse/core/time/timers';
import { inJobTransaction, saveJobCheckpoint } from '@pilothouse/infra-db';
import { z } from 'zod';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';

const paramsSchema = z.object({
  /** Rows to write. */
  rows: z.int().min(1),
  /** Asks a model before each row. */
  asks: z.boolean().default(false),
  /** Attempts that fail before the first row. */
  failures: z.int().default(0),
});
interface Params {
  rows: number;
  asks: boolean;
  failures: number;
}

/** Tables of the handler. `gate.open` is the number of rows that jobs may write. */
export const COUNTING_TABLES = `
CREATE TABLE spec_row (job uuid NOT NULL, number int NOT NULL, pid int NOT NULL);
CREATE TABLE spec_gate (open int NOT NULL);
INSERT INTO spec_gate VALUES (0)`;

/** Writes numbered rows, each in one transaction with its checkpoint. It waits for the gate before each row. */
export function createCountingHandler({ pool }: JobDependencies): JobHandler<Params> {
  const isOpen = async (number: number) => {
    const { rows } = await pool.query<{ open: number }>('SELECT open FROM spec_gate');
    return (rows[0]?.open ?? 0) > number;
  };
  return {
    params: paramsSchema,
    run: async ({ rows, asks, failures }, job: JobContext): Promise<Json> => {
      if (job.epoch <= failures) throw new PilothouseError('UNAVAILABLE', `Attempt ${job.epoch} failed on purpose`);
      for (let number = (job.checkpoint as number | null) ?? 0; number < rows; number += 1) {
        while (!(await isOpen(number))) await systemTimers.delay(20, job.signal);
        if (asks) await ask(job);
        await inJobTransaction(pool, job, async (client) => {
          await client.query('INSERT INTO spec_row VALUES ($1, $2, $3)', [job.id, number, process.pid]);
          await saveJobCheckpoint(client, job, number + 1);
        });
        await job.progress(number + 1, rows, 'rows');
        job.throwIfStopping();
      }
      return { rows };
    },
  };
}

const ask = ({ models }: JobContext) =>
  models.generate({
    role: 'score',
    prompt: { name: 'spec', version: 1 },
    system: 'Answer with one word.',
    messages: [{ role: 'user', parts: [{ text: 'Is this step good?' }] }],
    maxTokens: 100,
  });
