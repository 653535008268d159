import type { AttemptView } from '@pilothouse/contract/api/dead-letters.routes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { type AgentEvent, MAX_AGENT_EVENTS, agentEventSchema } from '@pilothouse/contract/events/agent.events';
import type { EventType, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Pool } from '../client/pg-pool.ts';

interface EventRow extends Omit<RunEvent, 'at'> {
  at: Date;
}

/**
 * Events of a run after `seq`, in order.
 * @param limit maximum number of events
 */
export async function readEventsAfter(pool: Pool, run: string, seq: number, limit = 500): Promise<RunEvent[]> {
  const { rows } = await pool.query<EventRow>({
    name: 'events-after',
    text: `SELECT run_id AS run, seq, epoch, type, version AS v, level, message, data, occurred_at AS at
           FROM run_event WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    values: [run, seq, limit],
  });
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Maximum size of the events as JSON, in characters: they are part of the assignment message. */
const MAX_AGENT_TEXT = 500_000;

/** Agent events of the last attempt of the last started step, in order; only the newest when there are too many. Branches start again. */
export async function readAgentEvents(pool: Pool, run: string): Promise<AgentEvent[]> {
  const { rows } = await pool.query<EventRow>({
    name: 'agent-events',
    text: `SELECT run_id AS run, seq, epoch, type, version AS v, level, message, data, occurred_at AS at FROM run_event
           WHERE run_id = $1 AND type LIKE 'agent.%' AND data->>'branch' IS NULL AND (data->>'step')::int = (SELECT max(step) FROM run_step WHERE run_id = $1)
             AND seq > coalesce((SELECT max(seq) FROM run_event WHERE run_id = $1 AND type = 'step.retrying'), 0)
           ORDER BY seq DESC LIMIT $2`,
    values: [run, MAX_AGENT_EVENTS],
  });
  let text = 0;
  const limited = rows.filter(({ data }) => (text += JSON.stringify(data).length) <= MAX_AGENT_TEXT);
  return limited.reverse().flatMap((row) => {
    const parsed = agentEventSchema.safeParse({ ...row, at: row.at.toISOString() });
    return parsed.success ? [parsed.data] : [];
  });
}

interface AttemptRow {
  run: string;
  epoch: number;
  type: EventType;
  data: { worker?: string; error?: ErrorView };
  at: Date;
}

/** Events that begin or end an attempt. */
const TURNS = ['run.assigned', 'run.requeued', 'run.slot_released', 'run.completed', 'run.failed', 'run.cancelled'];

/** Attempts of runs, derived from their events: worker, time and end. Runs without attempts or events have none. */
export async function readAttempts(pool: Pool, runs: readonly string[]): Promise<Map<string, AttemptView[]>> {
  const { rows } = await pool.query<AttemptRow>(
    `SELECT run_id AS run, epoch, type, data, occurred_at AS at FROM run_event
     WHERE run_id = ANY ($1::uuid[]) AND type = ANY ($2) ORDER BY run_id, seq`,
    [runs, TURNS],
  );
  const attempts = new Map<string, AttemptView[]>();
  for (const { run, epoch, type, data, at } of rows) {
    const sofar = attempts.get(run) ?? [];
    attempts.set(run, sofar);
    const last = sofar.at(-1);
    if (type === 'run.assigned') {
      const worker = data.worker ?? 'unknown';
      sofar.push({ epoch, worker, startedAt: at.toISOString(), endedAt: null, error: null });
    } else if (last?.epoch === epoch && last.endedAt === null) {
      last.endedAt = at.toISOString();
      last.error = data.error ?? null;
    }
  }
  return attempts;
}
