import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventDraft, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import type { StepIntent } from '@pilothouse/core/run/step-intent';
import { GroupCommit } from '../client/group-commit.ts';
import type { IdempotencyClaim } from './idempotency.store.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A run to submit. */
export interface NewRun {
  id: string;
  project: string;
  fleet: string;
  workflow: { id: string; version: number } | null;
  workflowName: string;
  /** First characters of the goal; null if the run was not submitted as a goal. */
  goal: string | null;
  surface: string;
  definition: unknown;
  stepCount: number;
  inputs: unknown;
  secretNames: readonly string[];
  /** Sealed secret inputs. */
  secrets: Buffer | null;
  /** Name of the project secret by secret input; missing: none. */
  secretReferences?: Readonly<Record<string, string>> | undefined;
  priority: number;
  budget: unknown;
  capture: unknown;
  /** Egress settings of the run, without the proxy password. */
  egress: unknown;
  labels: unknown;
  /** Model for all calls; null: the models of the project. */
  model: string | null;
  /** Cause and actor of the submission. */
  origin: RunOrigin;
  /** Run that it belongs to; null: none. */
  parentRunId: string | null;
  /** Queue timeout in seconds. */
  expiresIn: number | null;
  /** `run.queued`. */
  event: EventDraft;
  /** The intent of the first step, if the first claim is to write it. */
  firstIntent: StepIntent | null;
  /** Completed in the same commit as the run; nothing is stored if the request no longer holds it. */
  idempotency: IdempotencyClaim | null;
}

/** An accepted run: durable, and possibly admitted to the window of its fleet. */
export interface InsertedRun {
  run: string;
  fleet: string;
  admitted: boolean;
  dispatch: number;
  priority: number;
  event: RunEvent;
}

/*
 * A run is admitted at once when its fleet's window has room and no run waits before it. The usual case costs no second
 * commit. All other cases are left to run-admission.ts, which applies limits and fair order.
 *
 * A run with an Idempotency-Key is stored only if its request still holds the key, whose row the statement locks by completing it. A process
 * suspended for minutes, or a statement that reaches the server after its timeout, is too late: another run may have the key.
 */
const SUBMIT = `
WITH item AS (
  SELECT * FROM json_to_recordset($1::json) AS x(
    id uuid, project uuid, fleet uuid, "workflowId" uuid, "workflowVersion" int, "workflowName" text, goal text, surface text, definition json,
    "stepCount" int, inputs json, "secretNames" jsonb, secrets text, "secretReferences" jsonb, priority int, budget jsonb, capture jsonb, egress jsonb, labels jsonb, model text,
    origin jsonb, "retryOf" uuid, "createdBy" jsonb, "parentRunId" uuid, "expiresIn" float8, event json, "firstIntent" json, "idempotencyKey" text, "keyToken" uuid, "keySince" timestamptz
  )
),
claimed_key AS (
  UPDATE idempotency_key k SET run_id = i.id FROM item i
  WHERE k.project_id = i.project AND k.key = i."idempotencyKey" AND k.token = i."keyToken" AND k.created_at = i."keySince" AND k.run_id IS NULL
  RETURNING i.id
),
capacity AS (
  SELECT f.id AS fleet,
    CASE WHEN f.paused_at IS NOT NULL
      OR EXISTS (SELECT 1 FROM run b WHERE b.fleet_id = f.id AND b.status = 'queued' AND b.admitted_at IS NULL)
    THEN 0 ELSE $2 - (SELECT count(*) FROM run w WHERE w.fleet_id = f.id AND w.status = 'queued' AND w.admitted_at IS NOT NULL) END AS places
  FROM fleet f WHERE f.id IN (SELECT fleet FROM item)
),
accepted AS (
  SELECT i.*, (p.max_concurrent_runs IS NULL AND row_number() OVER (PARTITION BY i.fleet ORDER BY i.priority DESC, i.id) <= m.places) AS admitted
  FROM item i JOIN capacity m ON m.fleet = i.fleet JOIN project p ON p.id = i.project
  WHERE i."idempotencyKey" IS NULL OR i.id IN (SELECT id FROM claimed_key)
),
stored AS (
  INSERT INTO run (id, project_id, fleet_id, workflow_id, workflow_version, workflow_name, goal, surface, definition, step_count, inputs,
    secret_names, secrets, secret_references, priority, budget, capture, egress, labels, model, origin, retry_of, created_by, parent_run_id, queue_expires_at, first_intent, status, event_seq, admitted_at,
    dispatch_number)
  SELECT id, project, fleet, "workflowId", "workflowVersion", "workflowName", goal, surface, definition, "stepCount", inputs,
    ARRAY(SELECT jsonb_array_elements_text("secretNames")), decode(secrets, 'base64'), "secretReferences", priority, budget, capture, egress, labels, model, origin, "retryOf",
    "createdBy", "parentRunId", now() + "expiresIn" * interval '1 second', "firstIntent", 'queued', 1, CASE WHEN admitted THEN now() END, CASE WHEN admitted THEN 1 ELSE 0 END
  FROM accepted
),
logged AS (
  INSERT INTO run_event (run_id, seq, epoch, type, version, level, message, data, occurred_at)
  SELECT id, 1, 0, event->>'type', (event->>'v')::int, event->>'level', event->>'message', event->'data', (event->>'at')::timestamptz FROM accepted
)
SELECT id AS run, admitted FROM accepted
`;

/** Maximum number of runs that wait to be stored: about two seconds of work. */
const MAX_WAITING_RUNS = 2_000;

/** Inserts runs, many in one commit. */
export class RunInserter {
  private readonly commit: GroupCommit<NewRun, InsertedRun | null>;

  /** @param window maximum number of runs of a fleet in Redis */
  constructor(pool: Pool, window: number, onFlush?: (size: number, milliseconds: number) => void) {
    const flush = async (runs: readonly NewRun[]) => {
      const items = runs.map(({ workflow, secrets, egress, origin: { actor, ...origin }, idempotency, ...run }) => ({
        ...run,
        origin,
        ...(origin.kind === 'retry' && { retryOf: origin.run }),
        idempotencyKey: idempotency?.key,
        keyToken: idempotency?.token,
        keySince: idempotency?.takenAt,
        // Omitted if absent: a JSON null would be a value.
        ...(egress !== null && { egress }),
        ...(actor !== null && { createdBy: actor }),
        workflowId: workflow?.id,
        workflowVersion: workflow?.version,
        secrets: secrets?.toString('base64'),
      }));
      const { rows } = await pool.query<{ run: string; admitted: boolean }>({
        name: 'submit-runs',
        text: SUBMIT,
        values: [JSON.stringify(items), window],
      });
      const admitted = new Map(rows.map((row) => [row.run, row.admitted]));
      return runs.map(({ id, fleet, priority, event }) => {
        const isAdmitted = admitted.get(id);
        if (isAdmitted === undefined) return null;
        return {
          run: id,
          fleet,
          priority,
          admitted: isAdmitted,
          dispatch: isAdmitted ? 1 : 0,
          event: { ...event, seq: 1, run: id, epoch: 0 },
        };
      });
    };
    this.commit = new GroupCommit({ flush, keyOf: ({ id }) => id, maxBatch: 64, onFlush });
  }

  /**
   * Resolves when the run is durable.
   * @throws PilothouseError UNAVAILABLE when too many runs wait, IDEMPOTENCY_IN_FLIGHT when its request no longer holds the key;
   * nothing was stored
   */
  async submit(run: NewRun): Promise<InsertedRun> {
    if (this.commit.depth >= MAX_WAITING_RUNS)
      throw new PilothouseError('UNAVAILABLE', 'Too many submitted runs wait to be stored. Try again.', {
        details: { retryAfterSeconds: 2 },
      });
    const insertedRun = await this.commit.write(run);
    if (insertedRun) return insertedRun;
    if (run.idempotency) {
      throw new PilothouseError(
        'IDEMPOTENCY_IN_FLIGHT',
        'Another request with this `Idempotency-Key` is in progress. Try again.',
      );
    }
    throw new Error(`Run ${run.id} was not stored: its fleet or project is gone`);
  }
}
