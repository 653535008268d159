import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import type { ConditionReport } from '@pilothouse/core/ports/fleet-state.port';
import type { Pool } from '../client/pg-pool.ts';

/** Maximum length of a message in characters: a scheduler lists every node. */
const MAX_MESSAGE_CHARS = 1_000;

/** Stores problems of a fleet: one row per reason, with its newest message. @param fleet its name */
export async function upsertConditions(pool: Pool, fleet: string, reports: readonly ConditionReport[]): Promise<void> {
  if (reports.length === 0) return;
  await pool.query(
    `INSERT INTO fleet_condition (fleet_id, reason, message, count)
     SELECT f.id, n.reason, n.message, greatest(1, n.times)
     FROM fleet f CROSS JOIN unnest($2::text[], $3::text[], $4::int[]) AS n (reason, message, times) WHERE f.name = $1
     ON CONFLICT (fleet_id, reason) DO UPDATE
     SET message = excluded.message, last_seen_at = now(),
         count = fleet_condition.count + ($4::int[])[array_position($2::text[], excluded.reason)]`,
    [
      fleet,
      reports.map(({ reason }) => reason),
      reports.map(({ message }) => message.slice(0, MAX_MESSAGE_CHARS)),
      reports.map(({ times }) => times),
    ],
  );
}

/** Removes conditions that were not seen after a timestamp. @param lastSeenUntil milliseconds since 1970, clock of the database */
export async function clearConditions(
  pool: Pool,
  fleet: string,
  reasons: readonly ConditionReason[],
  lastSeenUntil: number,
): Promise<void> {
  if (reasons.length === 0) return;
  await pool.query(
    `DELETE FROM fleet_condition USING fleet f
     WHERE f.id = fleet_id AND f.name = $1 AND reason = ANY ($2) AND last_seen_at <= to_timestamp($3::float8 / 1000)`,
    [fleet, reasons, lastSeenUntil],
  );
}
