import { FleetHistoryStore } from './fleet/fleet-history.store.ts';
import { FleetStore } from './fleet/fleet.store.ts';
import { FleetQueueStore } from './fleet/fleet-queue.store.ts';
import { DatasetStore } from './learning/dataset.store.ts';
import { JobStore } from './job/job.store.ts';
import { IdempotencyStore } from './run/idempotency.store.ts';
import { RepeatedGoalStore } from './savings/repeated-goal.store.ts';
import { SavingsStore } from './savings/savings.store.ts';
import { RunMeasurementStore } from './savings/run-measurement.store.ts';
import { RegistryStore } from './learning/registry.store.ts';
import type { Pool } from './client/pg-pool.ts';
import { noTables, oldSchema } from './client/database-availability.ts';
import { createPrisma } from './client/prisma-client.ts';
import { ProfileStore } from './project/profile.store.ts';
import { ProposalStore } from './workflow/proposal.store.ts';
import { ApiKeyStore } from './project/api-key.store.ts';
import { ModelSpendStore } from './project/model-spend.store.ts';
import { ProjectSecretStore } from './project/project-secret.store.ts';
import { ProjectSettingsStore } from './project/project-settings.store.ts';
import { ProjectStore } from './project/project.store.ts';
import { RetentionStore } from './retention/retention.store.ts';
import { DeadLetterStore } from './run/dead-letter.store.ts';
import { RunReactionStore } from './run/run-reaction.store.ts';
import { RunReader } from './run/run-reader.ts';
import { RunStatistics } from './run/run-statistics.ts';
import { UploadStore } from './file/upload.store.ts';
import { AuditStore } from './user/audit.store.ts';
import { IdentityStore } from './user/user-identity.store.ts';
import { InvitationStore } from './user/invitation.store.ts';
import { MemberStore } from './user/member.store.ts';
import { UserSessionStore } from './user/user-session.store.ts';
import { SignInAttemptStore } from './user/sign-in-attempt.store.ts';
import { UserStore } from './user/user.store.ts';
import { SavedViewStore } from './user/saved-view.store.ts';
import { WorkflowStatsStore } from './workflow/workflow-stats.store.ts';
import { WorkflowStore } from './workflow/workflow.store.ts';

/** The stores of the API, except those of the run lifecycle. */
export interface Stores {
  projects: ProjectStore;
  settings: ProjectSettingsStore;
  modelSpend: ModelSpendStore;
  keys: ApiKeyStore;
  audit: AuditStore;
  users: UserStore;
  identities: IdentityStore;
  members: MemberStore;
  invitations: InvitationStore;
  sessions: UserSessionStore;
  signInAttempts: SignInAttemptStore;
  savedViews: SavedViewStore;
  workflows: WorkflowStore;
  workflowStats: WorkflowStatsStore;
  profiles: ProfileStore;
  secrets: ProjectSecretStore;
  proposals: ProposalStore;
  uploads: UploadStore;
  idempotency: IdempotencyStore;
  runs: RunReader;
  statistics: RunStatistics;
  deadLetters: DeadLetterStore;
  retention: RetentionStore;
  fleets: FleetStore;
  fleetHistory: FleetHistoryStore;
  queues: FleetQueueStore;
  jobs: JobStore;
  datasets: DatasetStore;
  registry: RegistryStore;
  runReactions: RunReactionStore;
  runMeasurements: RunMeasurementStore;
  repeatedGoals: RepeatedGoalStore;
  savings: SavingsStore;
  /** @throws errors of PostgreSQL; PilothouseError UNAVAILABLE when the database has no tables */
  check(): Promise<void>;
  /** Disconnects Prisma; the pool stays open. */
  close(): Promise<void>;
}

/**
 * Creates the stores on a pool.
 * @param requiredMigration name of the last migration that this version needs; undefined: `check` looks for tables only
 */
export function createStores(pool: Pool, requiredMigration?: string): Stores {
  const prisma = createPrisma(pool);
  const modelSpend = new ModelSpendStore(pool);
  return {
    projects: new ProjectStore(prisma),
    settings: new ProjectSettingsStore(prisma, pool, modelSpend),
    modelSpend,
    keys: new ApiKeyStore(prisma, pool),
    audit: new AuditStore(pool),
    users: new UserStore(prisma),
    identities: new IdentityStore(prisma),
    members: new MemberStore(prisma),
    invitations: new InvitationStore(prisma),
    sessions: new UserSessionStore(pool),
    signInAttempts: new SignInAttemptStore(pool),
    savedViews: new SavedViewStore(pool),
    workflows: new WorkflowStore(prisma),
    workflowStats: new WorkflowStatsStore(pool),
    profiles: new ProfileStore(pool),
    secrets: new ProjectSecretStore(pool),
    proposals: new ProposalStore(pool),
    uploads: new UploadStore(prisma, pool),
    idempotency: new IdempotencyStore(pool),
    runs: new RunReader(prisma, pool),
    statistics: new RunStatistics(pool),
    deadLetters: new DeadLetterStore(prisma, pool),
    retention: new RetentionStore(pool),
    fleets: new FleetStore(prisma, pool),
    fleetHistory: new FleetHistoryStore(pool),
    queues: new FleetQueueStore(pool),
    jobs: new JobStore(pool),
    datasets: new DatasetStore(pool),
    registry: new RegistryStore(pool),
    runReactions: new RunReactionStore(pool),
    runMeasurements: new RunMeasurementStore(pool),
    repeatedGoals: new RepeatedGoalStore(pool),
    savings: new SavingsStore(pool),
    check: () => checkSchema(pool, requiredMigration),
    close: () => prisma.$disconnect(),
  };
}

async function checkSchema(pool: Pool, requiredMigration: string | undefined): Promise<void> {
  const { rows } = await pool.query<{ has: boolean; hasHistory: boolean }>(
    `SELECT to_regclass('run') IS NOT NULL AS has, to_regclass('_prisma_migrations') IS NOT NULL AS "hasHistory"`,
  );
  if (!rows[0]?.has) throw noTables();
  if (requiredMigration === undefined || !rows[0].hasHistory) return;
  // A newer schema is compatible: an older version serves until a rolling update replaces it.
  const { rowCount } = await pool.query(
    `SELECT 1 FROM _prisma_migrations
     WHERE migration_name >= $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL LIMIT 1`,
    [requiredMigration],
  );
  if (!rowCount) throw oldSchema(requiredMigration);
}
