import type {
  ListProposalsQuery,
  Verification,
  ProposalKind,
  ProposalStatus,
  ProposalView,
  RepairedStep,
} from '@pilothouse/contract/api/proposals.routes';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import { idSchema } from '@pilothouse/contract/primitives.schema';
import type { RepairPolicy, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { isDeepStrictEqual } from 'node:util';
import { parseInstantCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import { inTransaction, type Pool } from '../client/pg-pool.ts';
import { toJsonValue } from '../client/prisma-client.ts';
import { IS_PUBLISHABLE, REQUEST_ENDED_VERIFICATION } from '../run/run-reaction.sql.ts';

/** Maximum number of runs that a proposal names. */
const MAX_RUNS = 20;

/** A proposal to be stored. */
export interface NewProposal {
  readonly id: string;
  readonly project: string;
  readonly workflow: string;
  readonly kind: ProposalKind;
  readonly baseVersion: number | null;
  readonly version: number;
  readonly policy: RepairPolicy;
  readonly changes: readonly RepairedStep[];
  readonly notes: readonly string[];
  readonly runs: readonly string[];
  readonly verification: Verification;
}

/** A verification whose run has finished and whose verdict is not recorded yet. */
export interface FinishedVerification {
  readonly proposal: string;
  readonly project: string;
  readonly run: string;
  /** Status of the run; null if the run was deleted. */
  readonly status: string | null;
  readonly calls: number;
  /** Number of steps that were healed during the verification. */
  readonly healed: number;
  /** Error of the run. */
  readonly error: { readonly code?: string; readonly message?: string } | null;
}

/** A proposal that passed verification and is approved, but not published yet. */
export type PublishableProposal = Pick<FinishedVerification, 'proposal' | 'project' | 'run'>;

interface Row extends Omit<ProposalView, 'workflow' | 'verification' | 'createdAt' | 'decidedAt'> {
  workflow: string;
  name: string;
  verification: Verification['state'];
  verificationRun: string | null;
  verificationReason: string | null;
  createdAt: Date;
  decidedAt: Date | null;
}

const SELECT = `
SELECT p.id, p.kind, p.workflow_id AS workflow, w.name, p.base_version AS "baseVersion", p.version, p.status, p.policy, p.changes, p.notes, p.runs,
  p.verification, p.verification_run_id AS "verificationRun", p.verification_reason AS "verificationReason", p.approved_by AS "approvedBy", p.created_at AS "createdAt", p.decided_at AS "decidedAt", p.decided_by AS "decidedBy"
FROM proposal p JOIN workflow w ON w.id = p.workflow_id`;

/** Workflow versions that Pilothouse proposes. */
export class ProposalStore {
  constructor(private readonly pool: Pool) {}

  /** Lists the proposals of a project, newest first. */
  async list(
    project: string,
    { limit, cursor, status, workflow, run }: ListProposalsQuery,
  ): Promise<Page<ProposalView>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const isId = workflow !== undefined && idSchema.safeParse(workflow).success;
    const { rows } = await this.pool.query<Row>(
      `${SELECT} WHERE p.project_id = $1 AND ($2::text[] IS NULL OR p.status = ANY ($2)) AND ($3::text IS NULL OR w.name = $3 OR w.id = $4::uuid)
        AND ($5::timestamptz IS NULL OR (p.created_at, p.id) < ($5, $6::uuid)) AND ($8::uuid IS NULL OR p.runs @> ARRAY[$8])
       ORDER BY p.created_at DESC, p.id DESC LIMIT $7`,
      [
        project,
        status ?? null,
        workflow ?? null,
        isId ? workflow : null,
        position?.instant ?? null,
        position?.id ?? null,
        limit + 1,
        run ?? null,
      ],
    );
    return toPage(rows, limit, viewOf, (row) => [row.createdAt.getTime(), row.id]);
  }

  async read(project: string, id: string): Promise<ProposalView | null> {
    const { rows } = await this.pool.query<Row>(`${SELECT} WHERE p.project_id = $1 AND p.id = $2`, [project, id]);
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** Lists open and rejected repairs of a workflow version, newest first. */
  async listRepairs(workflow: string, baseVersion: number): Promise<ProposalView[]> {
    const { rows } = await this.pool.query<Row>(
      `${SELECT} WHERE p.workflow_id = $1 AND p.base_version = $2 AND p.kind = 'heal' AND p.status IN ('open', 'rejected') ORDER BY p.created_at DESC`,
      [workflow, baseVersion],
    );
    return rows.map(viewOf);
  }

  /** Stores a proposal. A version has one proposal, with its newest verification, whose run may have ended. */
  async save(proposal: NewProposal): Promise<void> {
    const { id, project, workflow, kind, baseVersion, version, policy, changes, notes, runs, verification } = proposal;
    await inTransaction(this.pool, async (client) => {
      await client.query(
        `INSERT INTO proposal (id, project_id, workflow_id, kind, base_version, version, status, policy, changes, notes, runs, verification,
         verification_run_id, verification_reason)
       VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8::json, $9, $10, $11, $12, $13)
       ON CONFLICT (workflow_id, version) DO UPDATE SET verification = excluded.verification, verification_run_id = excluded.verification_run_id,
         verification_reason = excluded.verification_reason, runs = excluded.runs
         WHERE proposal.status = 'open' AND excluded.verification <> 'none'`,
        [
          ...[id, project, workflow, kind, baseVersion, version, policy, JSON.stringify(changes), notes, runs],
          ...[verification.state, verification.run, verification.reason],
        ],
      );
      if (verification.run !== null) await client.query(REQUEST_ENDED_VERIFICATION, [verification.run]);
    });
  }

  /** Adds a run to those that led to a proposal. */
  async addRun(id: string, run: string): Promise<void> {
    await this.pool.query(
      `UPDATE proposal SET runs = runs || $2::uuid WHERE id = $1 AND NOT ($2 = ANY (runs)) AND cardinality(runs) < ${MAX_RUNS}`,
      [id, run],
    );
  }

  /** Decides a proposal. Returns false if it was not open. */
  async decide(id: string, status: Exclude<ProposalStatus, 'open'>, actor: string, decidedAt: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE proposal SET status = $2, decided_by = $3, decided_at = $4 WHERE id = $1 AND status = 'open'`,
      [id, status, actor, decidedAt],
    );
    return rowCount === 1;
  }

  /** Approves a proposal for publication once `run` has verified it. Returns false if it is decided or another run verifies it. */
  async approve(id: string, actor: string, run: string): Promise<boolean> {
    return inTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(
        `UPDATE proposal SET approved_by = $2, verification = 'running', verification_run_id = $3, verification_reason = NULL
       WHERE id = $1 AND status = 'open' AND (verification <> 'running' OR verification_run_id = $3)`,
        [id, actor, run],
      );
      if (rowCount === 1) await client.query(REQUEST_ENDED_VERIFICATION, [run]);
      return rowCount === 1;
    });
  }

  /** Records the result of a verification. */
  async recordVerification(id: string, { state, run, reason }: Verification): Promise<void> {
    await this.pool.query(
      'UPDATE proposal SET verification = $2, verification_reason = $3 WHERE id = $1 AND verification_run_id = $4',
      [id, state, reason, run],
    );
  }

  /** Finds a version after `baseVersion` that `author` created with this definition. */
  async findVersion(
    workflow: string,
    definition: WorkflowDefinition,
    { author, baseVersion }: { author: string; baseVersion: number },
  ): Promise<number | null> {
    const { rows } = await this.pool.query<{ version: number; definition: unknown }>(
      'SELECT version, definition FROM workflow_version WHERE workflow_id = $1 AND version > $2 AND created_by = $3 ORDER BY version',
      [workflow, baseVersion, author],
    );
    return rows.find((row) => isDeepStrictEqual(row.definition, toJsonValue(definition)))?.version ?? null;
  }

  /** The `step.healed` events of a run. */
  async healedEvents(run: string): Promise<Pick<RunEvent, 'type' | 'data'>[]> {
    const { rows } = await this.pool.query<Pick<RunEvent, 'type' | 'data'>>(
      `SELECT type, data FROM run_event WHERE run_id = $1 AND type = 'step.healed' ORDER BY seq`,
      [run],
    );
    return rows;
  }

  /** Returns whether a run verifies a proposal. */
  async isVerificationRun(run: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT 1 FROM proposal WHERE verification_run_id = $1', [run]);
    return rowCount !== 0;
  }

  /** Finds the verification of a run that has ended, if its verdict is not recorded. */
  async finishedVerification(run: string): Promise<FinishedVerification | null> {
    const { rows } = await this.pool.query<FinishedVerification>({
      name: 'finished-verification',
      text: `SELECT p.id AS proposal, p.project_id AS project, p.verification_run_id AS run, r.status, coalesce(r.used_calls, 0) AS calls, r.error,
          (SELECT count(*) FROM run_event e WHERE e.run_id = r.id AND e.type = 'step.healed')::int AS healed
        FROM proposal p LEFT JOIN run r ON r.id = p.verification_run_id
        WHERE p.verification_run_id = $1 AND p.verification = 'running' AND (r.id IS NULL OR r.status IN ('completed', 'failed', 'cancelled'))`,
      values: [run],
    });
    return rows[0] ?? null;
  }

  /** Finds the passed proposal of a verification that waits for publication. That of an archived workflow waits until it is restored. */
  async publishableProposal(run: string): Promise<PublishableProposal | null> {
    const { rows } = await this.pool.query<PublishableProposal>({
      name: 'publishable-proposal',
      text: `SELECT id AS proposal, project_id AS project, verification_run_id AS run FROM proposal
        WHERE verification_run_id = $1 AND ${IS_PUBLISHABLE} AND EXISTS (SELECT FROM workflow w WHERE w.id = workflow_id AND w.archived_at IS NULL)`,
      values: [run],
    });
    return rows[0] ?? null;
  }

  /** Finds the project of a run. Returns null if the run is deleted. */
  async findProject(
    run: string,
  ): Promise<{ id: string; slug: string; name: string; repairPolicy: RepairPolicy | null } | null> {
    const { rows } = await this.pool.query<{
      id: string;
      slug: string;
      name: string;
      repairPolicy: RepairPolicy | null;
    }>(
      `SELECT p.id, p.slug, p.name, p.agents->>'repairPolicy' AS "repairPolicy" FROM project p JOIN run r ON r.project_id = p.id WHERE r.id = $1`,
      [run],
    );
    return rows[0] ?? null;
  }
}

const viewOf = ({
  workflow,
  name,
  verification,
  verificationRun,
  verificationReason,
  createdAt,
  decidedAt,
  ...row
}: Row): ProposalView => ({
  ...row,
  workflow: { id: workflow, name },
  verification: { state: verification, run: verificationRun, reason: verificationReason },
  createdAt: createdAt.toISOString(),
  decidedAt: decidedAt?.toISOString() ?? null,
});
