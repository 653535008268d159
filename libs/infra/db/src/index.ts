export * from './client/pg-pool.ts';
export * from './client/group-commit.ts';
export * from './run/run-write.ts';
export * from './run/run-writer.ts';
export * from './run/run-inserter.ts';
export * from './run/run-admission.ts';
export * from './run/run-lease-renewer.ts';
export * from './run/control-session.store.ts';
export * from './run/run-events.ts';
export * from './run/run-checkpoints.ts';
export * from './project/model-call-context.ts';
export * from './run/run-lookups.ts';
export * from './workflow/action-cache.store.ts';
export * from './file/artifact.store.ts';
export * from './fleet/worker-session.store.ts';
export * from './fleet/worker-join.store.ts';
export * from './project/site-visit.store.ts';
export * from './project/profile.store.ts';
export * from './project/project-secret.store.ts';
export {
  ProposalStore,
  type FinishedVerification,
  type NewProposal,
  type PublishableProposal,
} from './workflow/proposal.store.ts';
export {
  leaderSilenceMs,
  runAsLeader,
  terminateSilentLeader,
  tryLead,
  type LeaderSession,
} from './client/leadership.ts';
export { RunReactionStore, type ClaimedReaction } from './run/run-reaction.store.ts';
export * from './fleet/fleet-conditions.ts';
export * from './fleet/fleet-state.store.ts';
export * from './sweep/sweep-queries.ts';
export * from './migrate/deploy-migrations.ts';
export { lastMigration } from './migrate/migration-folder.ts';
export * from './migrate/migration-status.ts';
export {
  isDatabaseUnavailable,
  isDatabaseBusy,
  isTableMissing,
  noTables,
  RECORD_RETRY_MS,
  retryWhileUnavailable,
  type RetryDeadline,
} from './client/database-availability.ts';
export { RepeatedGoalStore } from './savings/repeated-goal.store.ts';
export { SavingsStore } from './savings/savings.store.ts';
export { RunMeasurementStore } from './savings/run-measurement.store.ts';
export { RegistryShadowStore, type ShadowCall } from './learning/registry-shadow.store.ts';
export { RegistryStore, saveModelMetric, type StageChange } from './learning/registry.store.ts';
export { findExportedFile, findUploadKey, isExportedUri, readTuningCheckpoint } from './learning/tuning-files.ts';
export { createStores, type Stores } from './create-stores.ts';
export { ProjectStore, type ProjectSummary } from './project/project.store.ts';
export {
  ModelSpendStore,
  type BudgetedProject,
  type SpendReservation,
  type ModelSpend,
} from './project/model-spend.store.ts';
export { ProjectSettingsStore } from './project/project-settings.store.ts';
export { ApiKeyStore, type AuthenticatedKey, type NewApiKey } from './project/api-key.store.ts';
export { MemberStore, type MemberChange } from './user/member.store.ts';
export { IdentityStore, type RoleMapping, type ExternalIdentity } from './user/user-identity.store.ts';
export { InvitationStore, type InvitationWithProject, type NewInvitation } from './user/invitation.store.ts';
export { AuditStore, type NewAuditEntry, type StoredAuditEntry } from './user/audit.store.ts';
export { UserStore, type NewUser } from './user/user.store.ts';
export { UserSessionStore, type ActiveSession, type NewSession } from './user/user-session.store.ts';
export { SignInAttemptStore, type AttemptLimit } from './user/sign-in-attempt.store.ts';
export { SavedViewStore, type NewSavedView } from './user/saved-view.store.ts';
export { WorkflowStatsStore, type WorkflowStatsRow } from './workflow/workflow-stats.store.ts';
export { WorkflowStore, type WorkflowWithVersion, type WorkflowVersionWrite } from './workflow/workflow.store.ts';
export { TraceStore, type ListTraces, type NewTraceLabel } from './learning/trace.store.ts';
export {
  readTraceToScore,
  saveModelLabel,
  saveTraceScore,
  type ModelLabel,
  type NewTraceStep,
  type TraceScore,
  type TraceToScore,
  type TurnFile,
} from './learning/trace-score.store.ts';
export { ScoreRequestStore, type RescoreRequest } from './learning/score-request.store.ts';
export { TraceReviewStore, type NewAcceptance } from './learning/trace-review.store.ts';
export { UploadStore, type UploadSummary } from './file/upload.store.ts';
export { IdempotencyStore, type ClaimResult, type IdempotencyClaim, type KeyState } from './run/idempotency.store.ts';
export { RunReader, type RunWithSeq, type RunSubmission, type StoredArtifact } from './run/run-reader.ts';
export { RunStatistics, type HourCount, type RunCounts } from './run/run-statistics.ts';
export { FleetHistoryStore, SAMPLE_SECONDS } from './fleet/fleet-history.store.ts';
export { FleetStore, type FleetUpsert, type EligibleFleet } from './fleet/fleet.store.ts';
export { FleetNames } from './fleet/fleet-names.ts';
export { FleetQueueStore, type QueueStats } from './fleet/fleet-queue.store.ts';
export { DeadLetterStore, type DeadLetterFilter, type DeadLetterRef } from './run/dead-letter.store.ts';
export { RetentionStore, type ExpiredArtifact } from './retention/retention.store.ts';
export { tryRetentionLock, type RetentionLock } from './retention/retention-lock.ts';
export type { Cutoffs, RunPastRetention, RetentionCounts, StoredObject } from './retention/retention-queries.ts';
export { insertJob, JobStore, type JobQuery, type NewJob } from './job/job.store.ts';
export * from './job/job-leases.ts';
export * from './job/background-queue-stats.ts';
export * from './job/job-model-usage.ts';
export { DatasetStore, type ListDatasets, type NewDataset, type NewExport } from './learning/dataset.store.ts';
export {
  DatasetBuildStore,
  type DatasetToBuild,
  type SelectedStep,
  type StepCursor,
} from './learning/dataset-build.store.ts';
