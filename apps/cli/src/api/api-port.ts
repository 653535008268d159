import type { AuditEntry, ExportAuditQuery, ListAuditQuery } from '@pilothouse/contract/api/audit.routes';
import type { CompileRunResult, CompileRun } from '@pilothouse/contract/api/compilation.routes';
import type {
  DeadLetterPage,
  ListDeadLettersQuery,
  RetryDeadLettersResult,
  RetryDeadLetters,
} from '@pilothouse/contract/api/dead-letters.routes';
import type { FleetQueue } from '@pilothouse/contract/api/fleets.routes';
import type { ListJobsQuery, RetryJob } from '@pilothouse/contract/api/learning.routes';
import type { UpdateProject, ProjectView, RetentionReport } from '@pilothouse/contract/api/project.routes';
import type { PublishProposal, ListProposalsQuery, ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { ListRunsQuery } from '@pilothouse/contract/api/runs.routes';
import type { RepeatedGoalsQuery, SavingsQuery } from '@pilothouse/contract/api/savings.routes';
import type {
  AcceptedTraceLabels,
  ScoreTraces,
  ScoreTracesResult,
  TraceStats,
} from '@pilothouse/contract/api/traces.routes';
import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { CreateExport, ExportDownload, ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { CreateDataset, DatasetDetail, DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { StartEvaluation } from '@pilothouse/contract/learning/offline-evaluation.schema';
import type { ModelCheck, ModelPrices } from '@pilothouse/contract/model/model-check.schema';
import type { RegisteredModel, RegisterModel } from '@pilothouse/contract/learning/registry.schema';
import type {
  CorrectedAction,
  Trace,
  TraceDetail,
  TraceFilter,
  TraceQuality,
} from '@pilothouse/contract/learning/trace.schema';
import type { TuningEstimate, TuningEvents } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { StartTuning } from '@pilothouse/contract/learning/tuning.schema';
import type { ApiKeyCreated, ApiKeyView, CreateApiKey } from '@pilothouse/contract/project/api-key.schema';
import type { ProfileView, StorageState } from '@pilothouse/contract/project/profile.schema';
import type { ProjectSecretView, SaveSecret } from '@pilothouse/contract/project/project-secret.schema';
import type { ArtifactView, UploadView } from '@pilothouse/contract/run/artifact.schema';
import type { CompleteRun, AnswerRun } from '@pilothouse/contract/run/run-question.schema';
import type { RunStepView, RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import type {
  WorkflowDefinition,
  WorkflowVersionView,
  WorkflowView,
} from '@pilothouse/contract/workflow/workflow.schema';

/** Page of a list. */
type Paged = { readonly limit?: number; readonly cursor?: string };

/** A workflow, and its YAML source with comments; null: the source is not YAML. */
export interface WorkflowFile {
  readonly definition: WorkflowDefinition;
  readonly text: string | null;
}

/** The API as commands use it. Every method throws errors that `asCommandError` converts. */
export interface Api {
  /** URL of the API, which relative artifact URLs refer to. */
  readonly url: string;

  submit(run: SubmitRun, idempotencyKey: string): Promise<RunView>;
  runs(query: Partial<ListRunsQuery>): Promise<Page<RunView>>;
  /** @param options.wait seconds to wait for the end of the run */
  run(id: string, options?: { wait?: number; signal?: AbortSignal }): Promise<RunView>;
  cancel(id: string): Promise<RunView>;
  /** Answers the open question of a run. */
  answer(id: string, answer: AnswerRun): Promise<RunView>;
  complete(id: string, body: CompleteRun): Promise<RunView>;
  retry(id: string, idempotencyKey: string): Promise<RunView>;
  /** Compiles a goal run into a workflow. */
  compile(id: string, body: CompileRun): Promise<CompileRunResult>;
  proposals(query: Partial<ListProposalsQuery>): Promise<Page<ProposalView>>;
  proposal(id: string): Promise<ProposalView>;
  publishProposal(id: string, body: Partial<PublishProposal>): Promise<ProposalView>;
  rejectProposal(id: string): Promise<ProposalView>;
  jobs(query: Partial<ListJobsQuery>): Promise<Page<Job>>;
  startEvaluation(evaluation: StartEvaluation): Promise<Job>;
  job(id: string): Promise<Job>;
  /** States of a job until it has ended. @param options.onRefusal called when the API refused a connection */
  jobStates(id: string, options: { onRefusal: (refusals: number, error: Error) => void }): AsyncIterable<Job>;
  cancelJob(id: string): Promise<Job>;
  retryJob(id: string, body: RetryJob): Promise<Job>;
  traces(query: TraceFilter & Paged): Promise<Page<Trace>>;
  trace(run: string): Promise<TraceDetail>;
  traceStats(filter: TraceFilter): Promise<TraceStats>;
  labelTraceStep(
    run: string,
    ordinal: number,
    label: { quality: TraceQuality; reason: string; correctedThought?: string; correctedActions?: CorrectedAction[] },
  ): Promise<TraceDetail>;
  pinTrace(run: string, pinned: boolean): Promise<Trace>;
  scoreTraces(body: ScoreTraces): Promise<ScoreTracesResult>;
  acceptTraceLabels(body: { filter: TraceFilter; reason?: string; dryRun: boolean }): Promise<AcceptedTraceLabels>;
  savings(query: SavingsQuery): Promise<Savings>;
  repeatedGoals(query: RepeatedGoalsQuery): Promise<RepeatedGoal[]>;
  dismissRepeatedGoal(id: string): Promise<void>;
  restoreRepeatedGoal(id: string): Promise<void>;
  deadLetters(query: Partial<ListDeadLettersQuery>): Promise<DeadLetterPage>;
  retryDeadLetters(choice: RetryDeadLetters): Promise<RetryDeadLettersResult>;
  steps(id: string): Promise<RunStepView[]>;
  artifacts(id: string): Promise<ArtifactView[]>;
  /** Events in order, each once: stored ones, and with `follow` (the default) new ones until the run ends. */
  events(id: string, options?: { follow?: boolean; signal?: AbortSignal }): AsyncIterable<RunEvent>;
  /** Uploads a file for an input. */
  upload(path: string): Promise<UploadView>;

  workflows(query: Paged & { readonly archived?: boolean }): Promise<Page<WorkflowView>>;
  workflow(name: string, version?: number): Promise<WorkflowDetail>;
  workflowVersions(name: string, query: Paged): Promise<Page<WorkflowVersionView>>;
  createWorkflow(file: WorkflowFile, publish: boolean): Promise<WorkflowDetail>;
  updateWorkflow(file: WorkflowFile, publish: boolean): Promise<WorkflowDetail>;
  publishWorkflow(name: string, version?: number): Promise<WorkflowView>;
  archiveWorkflow(name: string): Promise<WorkflowView>;
  unarchiveWorkflow(name: string): Promise<WorkflowView>;

  audit(query: Partial<ListAuditQuery>): Promise<Page<AuditEntry>>;
  /** The audit log as a file, in pieces. */
  exportAudit(query: ExportAuditQuery): Promise<AsyncIterable<Uint8Array>>;
  keys(query: Paged): Promise<Page<ApiKeyView>>;
  createKey(key: CreateApiKey): Promise<ApiKeyCreated>;
  revokeKey(id: string): Promise<ApiKeyView>;

  /** Labeled turns for tuning. */
  datasets(query: Paged & { readonly name?: string | undefined }): Promise<Page<DatasetView>>;
  dataset(id: string): Promise<DatasetDetail>;
  createDataset(dataset: CreateDataset): Promise<DatasetView>;
  createDatasetVersion(id: string): Promise<DatasetView>;
  deleteDataset(id: string): Promise<DatasetDetail>;
  datasetExports(id: string): Promise<ExportView[]>;
  createDatasetExport(id: string, options: CreateExport): Promise<ExportView>;
  datasetExport(id: string, exportId: string): Promise<ExportView>;
  datasetFiles(id: string, exportId: string, query: Paged): Promise<Page<ExportDownload>>;

  modelPrices(): Promise<ModelPrices>;
  /** @param model undefined: the first model of the installation */
  checkModel(model: string | undefined): Promise<ModelCheck>;

  /** Models of the registry. */
  registeredModels(query: Paged): Promise<Page<RegisteredModel>>;
  registeredModel(name: string): Promise<RegisteredModel>;
  registerModel(model: RegisterModel): Promise<RegisteredModel>;
  startShadow(name: string, percent: number, reason?: string): Promise<RegisteredModel>;
  startCanary(name: string, percent: number, reason?: string): Promise<RegisteredModel>;
  promoteModel(name: string, reason?: string): Promise<RegisteredModel>;
  rollBackModel(name: string, reason?: string): Promise<RegisteredModel>;
  deleteRegisteredModel(name: string): Promise<RegisteredModel>;

  /** Starts a tuning job. */
  startTuning(body: StartTuning): Promise<Job>;
  estimateTuning(body: StartTuning): Promise<TuningEstimate>;
  /** States, log lines and loss curve of a tuning job. */
  tuningEvents(job: string): Promise<TuningEvents>;

  profiles(query: Paged): Promise<Page<ProfileView>>;
  importProfile(name: string, state: StorageState): Promise<ProfileView>;
  deleteProfile(name: string): Promise<ProfileView>;

  secrets(query: Paged): Promise<Page<ProjectSecretView>>;
  saveSecret(name: string, body: SaveSecret): Promise<ProjectSecretView>;
  deleteSecret(name: string): Promise<ProjectSecretView>;

  fleets(): Promise<FleetView[]>;
  pauseFleet(name: string): Promise<FleetView>;
  resumeFleet(name: string): Promise<FleetView>;
  drainWorker(fleet: string, worker: string): Promise<FleetView>;
  cordonWorker(fleet: string, worker: string): Promise<FleetView>;
  uncordonWorker(fleet: string, worker: string): Promise<FleetView>;
  queues(): Promise<FleetQueue[]>;

  project(): Promise<ProjectView>;
  updateProject(change: UpdateProject): Promise<ProjectView>;
  /** Deletes expired data, or only counts it. */
  retain(dryRun: boolean): Promise<RetentionReport>;
}
