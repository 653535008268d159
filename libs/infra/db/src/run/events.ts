import { agentEventSchema, MAX_AGENT_EVENTS, upgradeEvent, type AgentEvent, type RunEvent } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

interface Row extends Omit<RunEvent, 'at'> {
  at: Date;
}

/**
 * Events of a run after `seq`, in order, upgraded to their newest version.
 * @param limit most events of one answer
 */
export async function readEventsAfter(pool: Pool, run: string, seq: number, limit = 500): Promise<RunEvent[]> {
  const { rows } = await pool.query<Row>({
    name: 'events-after',
    text: `SELECT run_id AS run, seq, epoch, type, version AS v, level, message, data, at
           FROM run_event WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    values: [run, seq, limit],
  });
  return rows.map((row) => upgradeEvent({ ...row, at: row.at.toISOString() }));
}

/** Most characters of JSON of them: they travel in one message with all else that an attempt is given. */
const MAX_AGENT_TEXT = 500_000;

/** What agents did in the step that was last begun, in order: the newest where there is too much. Those of branches begin anew. */
export async function readAgentEvents(pool: Pool, run: string): Promise<AgentEvent[]> {
  const { rows } = await pool.query<Row>({
    name: 'agent-events',
    text: `SELECT run_id AS run, seq, epoch, type, version AS v, level, message, data, at FROM run_event
           WHERE run_id = $1 AND type LIKE 'agent.%' AND data->>'branch' IS NULL AND (data->>'step')::int = (SELECT max(step) FROM run_step WHERE run_id = $1)
           ORDER BY seq DESC LIMIT $2`,
    values: [run, MAX_AGENT_EVENTS],
  });
  let text = 0;
  const told = rows.filter(({ data }) => (text += JSON.stringify(data).length) <= MAX_AGENT_TEXT);
  return told.reverse().flatMap((row) => {
    const parsed = agentEventSchema.safeParse(upgradeEvent({ ...row, at: row.at.toISOString() }));
    // What a newer version of the house wrote is not told.
    return parsed.success ? [parsed.data] : [];
  });
}
