import {
  idSchema,
  type ListProposalsQuery,
  type Page,
  type Verification,
  type ProposalKind,
  type ProposalStatus,
  type ProposalView,
  type RepairedStep,
  type RepairPolicy,
  type RunEvent,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { isDeepStrictEqual } from 'node:util';
import { parseInstantCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';
import { toJsonValue } from '../client/prisma-client.ts';

/** Most runs that a proposal names. */
const MOST_RUNS = 20;

/** How long it is waited for that repairs can be proposed: people who could mend what is in the way have a weekend. */
const OLD = `interval '7 days'`;

/** Of what is tried until it succeeds, another choice at each look: those that always fail leave none out. */
const SOME = 'ORDER BY random() LIMIT 100';

/** A proposal as it is made. */
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

/** A run that ended in which steps were healed. */
export interface HealedRun {
  readonly run: string;
  readonly status: string;
  /** Its repairs were noted, and it ended, so long ago that what is in their way is not taken to pass any more. */
  readonly isOld: boolean;
}

/** A verification that is over, but not yet judged. */
export interface FinishedVerification {
  readonly proposal: string;
  readonly project: string;
  readonly run: string;
  /** null: it was removed. */
  readonly status: string | null;
  readonly calls: number;
  /** Steps of it that had to be healed. */
  readonly healed: number;
  /** Code and message of its error. */
  readonly error: { readonly code?: string; readonly message?: string } | null;
}

/** A proposal that passed verification and is to be published, and is not yet. */
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

/** Versions of workflows that the house proposes. */
export class ProposalStore {
  constructor(private readonly pool: Pool) {}

  /** Proposals of a project, the newest first. */
  async list(
    project: string,
    { limit, cursor, status, workflow, run }: ListProposalsQuery,
  ): Promise<Page<ProposalView>> {
    const after = decodeCursor(cursor, parseInstantCursor);
    const isId = workflow !== undefined && idSchema.safeParse(workflow).success;
    const { rows } = await this.pool.query<Row>(
      `${SELECT} WHERE p.project_id = $1 AND ($2::text[] IS NULL OR p.status = ANY ($2)) AND ($3::text IS NULL OR w.name = $3 OR w.id = $4::uuid)
        AND ($5::timestamptz IS NULL OR (p.created_at, p.id) < ($5, $6::uuid)) AND ($8::uuid IS NULL OR $8 = ANY (p.runs))
       ORDER BY p.created_at DESC, p.id DESC LIMIT $7`,
      [
        project,
        status ?? null,
        workflow ?? null,
        isId ? workflow : null,
        after?.at ?? null,
        after?.id ?? null,
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

  /** Repairs of one version of a workflow that are open or were rejected, the newest first. */
  async repairsOf(workflow: string, base: number): Promise<ProposalView[]> {
    const { rows } = await this.pool.query<Row>(
      `${SELECT} WHERE p.workflow_id = $1 AND p.base_version = $2 AND p.kind = 'heal' AND p.status IN ('open', 'rejected') ORDER BY p.created_at DESC`,
      [workflow, base],
    );
    return rows.map(viewOf);
  }

  /** Keeps a proposal; the same version is proposed once, with the newest verification that ran. */
  async keep(made: NewProposal): Promise<void> {
    const { id, project, workflow, kind, baseVersion, version, policy, changes, notes, runs, verification } = made;
    await this.pool.query(
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
  }

  /** One more run led to a proposal. */
  async addRun(id: string, run: string): Promise<void> {
    await this.pool.query(
      `UPDATE proposal SET runs = runs || $2::uuid WHERE id = $1 AND NOT ($2 = ANY (runs)) AND cardinality(runs) < ${MOST_RUNS}`,
      [id, run],
    );
  }

  /** Decides an open proposal. @returns whether it was open */
  async decide(id: string, status: Exclude<ProposalStatus, 'open'>, by: string, at: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE proposal SET status = $2, decided_by = $3, decided_at = $4 WHERE id = $1 AND status = 'open'`,
      [id, status, by, at],
    );
    return rowCount === 1;
  }

  /**
   * Somebody wants it published once a run has verified it.
   * @returns whether it was open, and no other run tries it
   */
  async approve(id: string, by: string, run: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE proposal SET approved_by = $2, verification = 'running', verification_run_id = $3, verification_reason = NULL
       WHERE id = $1 AND status = 'open' AND (verification <> 'running' OR verification_run_id = $3)`,
      [id, by, run],
    );
    return rowCount === 1;
  }

  /** Records the result of a verification. */
  async recordVerification(id: string, { state, run, reason }: Verification): Promise<void> {
    await this.pool.query(
      'UPDATE proposal SET verification = $2, verification_reason = $3 WHERE id = $1 AND verification_run_id = $4',
      [id, state, reason, run],
    );
  }

  /** A version after another one that somebody made with this definition; null: there is none. */
  async versionOf(
    workflow: string,
    definition: WorkflowDefinition,
    { by, after }: { by: string; after: number },
  ): Promise<number | null> {
    const { rows } = await this.pool.query<{ version: number; definition: unknown }>(
      'SELECT version, definition FROM workflow_version WHERE workflow_id = $1 AND version > $2 AND created_by = $3 ORDER BY version',
      [workflow, after, by],
    );
    return rows.find((made) => isDeepStrictEqual(made.definition, toJsonValue(definition)))?.version ?? null;
  }

  /** Whether a run verifies a proposal. */
  async isVerificationRun(run: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT 1 FROM proposal WHERE verification_run_id = $1', [run]);
    return rowCount !== 0;
  }

  /** A step of the run was healed: once it has ended its repairs are looked at. */
  async noteHealed(run: string): Promise<void> {
    await this.pool.query('INSERT INTO healed_run (run_id) VALUES ($1) ON CONFLICT DO NOTHING', [run]);
  }

  /** Runs with healed steps that have ended; those that are gone count as failed. */
  async healedRuns(): Promise<HealedRun[]> {
    const { rows } = await this.pool.query<HealedRun>({
      name: 'healed-runs',
      text: `SELECT h.run_id AS run, coalesce(r.status, 'failed') AS status, greatest(h.at, r.finished_at) < now() - ${OLD} AS "isOld"
        FROM healed_run h LEFT JOIN run r ON r.id = h.run_id
        WHERE r.id IS NULL OR r.status IN ('completed', 'failed', 'cancelled') ${SOME}`,
    });
    return rows;
  }

  /** What the events of a run say of steps that were healed. */
  async healedEvents(run: string): Promise<Pick<RunEvent, 'type' | 'data'>[]> {
    const { rows } = await this.pool.query<Pick<RunEvent, 'type' | 'data'>>(
      `SELECT type, data FROM run_event WHERE run_id = $1 AND type = 'step.healed' ORDER BY seq`,
      [run],
    );
    return rows;
  }

  async forgetHealed(run: string): Promise<void> {
    await this.pool.query('DELETE FROM healed_run WHERE run_id = $1', [run]);
  }

  /** Verifications whose run is over. */
  async finishedVerifications(): Promise<FinishedVerification[]> {
    const { rows } = await this.pool.query<FinishedVerification>({
      name: 'finished-verifications',
      text: `SELECT p.id AS proposal, p.project_id AS project, p.verification_run_id AS run, r.status, coalesce(r.used_calls, 0) AS calls, r.error,
          (SELECT count(*) FROM run_event e WHERE e.run_id = r.id AND e.type = 'step.healed')::int AS healed
        FROM proposal p LEFT JOIN run r ON r.id = p.verification_run_id
        WHERE p.verification = 'running' AND (r.id IS NULL OR r.status IN ('completed', 'failed', 'cancelled')) ${SOME}`,
    });
    return rows;
  }

  /** What a process left behind that died between a verdict and what follows of it. What is archived waits until it is no more. */
  async publishableProposals(): Promise<PublishableProposal[]> {
    const { rows } = await this.pool.query<PublishableProposal>({
      name: 'due-proposals',
      text: `SELECT p.id AS proposal, p.project_id AS project, p.verification_run_id AS run FROM proposal p JOIN workflow w ON w.id = p.workflow_id
        WHERE p.status = 'open' AND p.verification = 'passed' AND (p.approved_by IS NOT NULL OR p.policy = 'publish') AND w.archived_at IS NULL ${SOME}`,
    });
    return rows;
  }

  /** Whose run it is; null: it is gone. */
  async projectOf(
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
