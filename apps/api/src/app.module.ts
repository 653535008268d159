import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { systemClock } from '@pilothouse/core';
import {
  AuditStore,
  DeadLetterStore,
  FleetHistoryStore,
  FleetStore,
  IdempotencyStore,
  IdentityStore,
  InvitationStore,
  ApiKeyStore,
  MemberStore,
  ProfileStore,
  ProposalStore,
  ProjectSettingsStore,
  ProjectStore,
  FleetQueueStore,
  RunReader,
  RunStatistics,
  UserSessionStore,
  SignInAttemptStore,
  UploadStore,
  UserStore,
  SavedViewStore,
  WorkflowStatsStore,
  WorkflowStore,
} from '@pilothouse/infra-db';
import { A2uiController } from './a2ui/a2ui.controller.ts';
import { A2uiStreamService } from './a2ui/a2ui-stream.service.ts';
import { A2uiActionsService } from './a2ui/a2ui-actions.service.ts';
import { AuditController } from './audit/audit.controller.ts';
import { AuditInterceptor } from './audit/audit.interceptor.ts';
import { AuditService } from './audit/audit.service.ts';
import { SignInFailures } from './audit/sign-in-failures.ts';
import { AuthGuard } from './auth/auth.guard.ts';
import { Callers } from './auth/caller.ts';
import { DeadLettersController } from './dead-letters/dead-letters.controller.ts';
import { DeadLettersService } from './dead-letters/dead-letters.service.ts';
import { FleetsController } from './fleets/fleets.controller.ts';
import { FleetSamplerJob } from './fleets/fleet-sampler.job.ts';
import { FleetsService } from './fleets/fleets.service.ts';
import { LiveController } from './live/live.controller.ts';
import { LiveFrameRelay } from './live/live-frame-relay.ts';
import { AgentThinkingRelay } from './runs/events/agent-thinking-relay.ts';
import { HealthController } from './health/health.controller.ts';
import { HealthService } from './health/health.service.ts';
import type { AppContext } from './infrastructure/app-context.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { RouteInterceptor } from './http/route.interceptor.ts';
import { ApiKeysController } from './api-keys/api-keys.controller.ts';
import { ApiKeysService } from './api-keys/api-keys.service.ts';
import { ObjectsController } from './objects/objects.controller.ts';
import { ObjectsService } from './objects/objects.service.ts';
import { OpenApiController } from './openapi/openapi.controller.ts';
import { OpenApiService } from './openapi/openapi.service.ts';
import { InvitationsService } from './members/invitations.service.ts';
import { OneTimeLinks } from './members/one-time-links.ts';
import { MembersController } from './members/members.controller.ts';
import { MembersService } from './members/members.service.ts';
import { PasswordsService } from './members/passwords.service.ts';
import { MetricsController } from './metrics/metrics.controller.ts';
import { ProfilesController } from './profiles/profiles.controller.ts';
import { ProfilesService } from './profiles/profiles.service.ts';
import { ModelsController } from './models/models.controller.ts';
import { ProjectsController } from './projects/projects.controller.ts';
import { ProjectsService } from './projects/projects.service.ts';
import { ProposalsController } from './proposals/proposals.controller.ts';
import { ProposalsJob } from './proposals/proposals.job.ts';
import { ProposalsService } from './proposals/proposals.service.ts';
import { RepairProposalsService } from './proposals/repair-proposals.service.ts';
import { Admission, QueueService } from './queue/queue.service.ts';
import { QueueController } from './queue/queue.controller.ts';
import { RetentionController } from './retention/retention.controller.ts';
import { RetentionJob } from './retention/retention.job.ts';
import { RetentionService } from './retention/retention.service.ts';
import { RetentionCleaner } from './retention/retention-cleaner.ts';
import { ProposalApprovalService } from './proposals/proposal-approval.service.ts';
import { RunCompilerService } from './proposals/run-compiler.service.ts';
import { RunEventsService } from './runs/events/run-events.service.ts';
import { IdempotencyService } from './runs/idempotency.service.ts';
import { BulkRunsService } from './runs/bulk-runs.service.ts';
import { RunsController } from './runs/runs.controller.ts';
import { RunsService } from './runs/runs.service.ts';
import { RunSubmissionService } from './runs/run-submission.service.ts';
import { OidcService, createOidcProvider } from './auth/oidc/oidc.service.ts';
import { SessionService } from './auth/session.service.ts';
import { SessionController } from './auth/session.controller.ts';
import { SetupService } from './auth/setup.service.ts';
import { SignInService } from './auth/sign-in.service.ts';
import { SignInLimiter } from './auth/sign-in-limiter.ts';
import { StatisticsController } from './statistics/statistics.controller.ts';
import { StatisticsService } from './statistics/statistics.service.ts';
import {
  HEALTH_CHECKS,
  CLOCK,
  CONSOLE_URL,
  DEFAULT_RETENTION,
  LOG,
  METRICS,
  JOB_DEPS,
  MODELS_CONFIG,
  OBJECTS,
  OIDC_PROVIDER,
  POOL,
  PUBLIC_URL,
  SHUTDOWN_SIGNAL,
  VAULT,
} from './common/injection-tokens.ts';
import { UploadsController } from './uploads/uploads.controller.ts';
import { UploadsService } from './uploads/uploads.service.ts';
import { SavedViewsController } from './saved-views/saved-views.controller.ts';
import { SavedViewsService } from './saved-views/saved-views.service.ts';
import { ControlController } from './control/control.controller.ts';
import { ControlRelay } from './control/control-relay.ts';
import { ControlService } from './control/control.service.ts';
import { WorkflowStatsService } from './workflows/workflow-stats.service.ts';
import { WorkflowsController } from './workflows/workflows.controller.ts';
import { WorkflowsService } from './workflows/workflows.service.ts';

/** Controllers of a replica that only serves workers and their files. */
const always = [HealthController, ObjectsController];
const rest = [
  RunsController,
  A2uiController,
  LiveController,
  ControlController,
  DeadLettersController,
  WorkflowsController,
  UploadsController,
  FleetsController,
  QueueController,
  ProjectsController,
  ModelsController,
  ProfilesController,
  ProposalsController,
  SavedViewsController,
  RetentionController,
  StatisticsController,
  ApiKeysController,
  MembersController,
  AuditController,
  SessionController,
  OpenApiController,
];

const services = [
  RunSubmissionService,
  RunsService,
  RunEventsService,
  ProposalApprovalService,
  RunCompilerService,
  A2uiStreamService,
  A2uiActionsService,
  BulkRunsService,
  ControlService,
  IdempotencyService,
  DeadLettersService,
  WorkflowsService,
  WorkflowStatsService,
  UploadsService,
  FleetsService,
  QueueService,
  ProjectsService,
  ProfilesService,
  ProposalsService,
  SavedViewsService,
  RepairProposalsService,
  RetentionService,
  StatisticsService,
  ApiKeysService,
  SessionService,
  Callers,
  SignInLimiter,
  SignInService,
  SetupService,
  OidcService,
  AuditService,
  SignInFailures,
  OneTimeLinks,
  MembersService,
  InvitationsService,
  PasswordsService,
  OpenApiService,
  HealthService,
  ObjectsService,
];

/** What everything stands on. */
const InfrastructureModule = ({
  config,
  pool,
  stores,
  lifecycle: way,
  liveFrames: views,
  agentThinking: thoughts,
  controlRelay: wheels,
  retention,
  objects,
  vault,
  metrics,
  log,
  checks,
  stopping,
  jobs,
  publicUrl,
}: AppContext): Provider[] => [
  { provide: ProjectStore, useValue: stores.projects },
  { provide: ProjectSettingsStore, useValue: stores.settings },
  { provide: ApiKeyStore, useValue: stores.keys },
  { provide: AuditStore, useValue: stores.audit },
  { provide: UserStore, useValue: stores.users },
  { provide: MemberStore, useValue: stores.members },
  { provide: IdentityStore, useValue: stores.identities },
  { provide: InvitationStore, useValue: stores.invitations },
  { provide: UserSessionStore, useValue: stores.sessions },
  { provide: SignInAttemptStore, useValue: stores.signInTries },
  { provide: WorkflowStore, useValue: stores.workflows },
  { provide: WorkflowStatsStore, useValue: stores.workflowStats },
  { provide: ProfileStore, useValue: stores.profiles },
  { provide: UploadStore, useValue: stores.uploads },
  { provide: IdempotencyStore, useValue: stores.idempotency },
  { provide: LiveFrameRelay, useValue: views },
  { provide: AgentThinkingRelay, useValue: thoughts },
  { provide: ControlRelay, useValue: wheels },
  { provide: RunReader, useValue: stores.runs },
  { provide: RunStatistics, useValue: stores.statistics },
  { provide: DeadLetterStore, useValue: stores.deadLetters },
  { provide: FleetStore, useValue: stores.fleets },
  { provide: FleetHistoryStore, useValue: stores.fleetHistory },
  { provide: FleetQueueStore, useValue: stores.queues },
  { provide: RetentionCleaner, useValue: retention.retention },
  { provide: RetentionJob, useValue: retention.job },
  { provide: Admission, useValue: new Admission(pool, way.dispatcher) },
  { provide: OBJECTS, useValue: objects },
  { provide: ProposalStore, useValue: stores.proposals },
  { provide: SavedViewStore, useValue: stores.views },
  { provide: POOL, useValue: pool },
  { provide: VAULT, useValue: vault },
  { provide: METRICS, useValue: metrics },
  { provide: JOB_DEPS, useValue: jobs },
  { provide: LOG, useValue: log },
  { provide: CLOCK, useValue: systemClock },
  { provide: HEALTH_CHECKS, useValue: checks },
  { provide: SHUTDOWN_SIGNAL, useValue: stopping.signal },
  { provide: PUBLIC_URL, useValue: publicUrl },
  { provide: OIDC_PROVIDER, useValue: createOidcProvider(config.oidc, publicUrl) },
  { provide: CONSOLE_URL, useValue: config.consoleUrl },
  { provide: DEFAULT_RETENTION, useValue: config.retention },
  { provide: MODELS_CONFIG, useValue: config.models },
];

/** What stands before and after every handler. */
const around: Provider[] = [
  AuditInterceptor,
  { provide: APP_GUARD, useClass: AuthGuard },
  { provide: APP_INTERCEPTOR, useClass: RouteInterceptor },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** The REST part of the API; needs the way of a run (RunLifecycleModule). */
@Module({})
export class RestModule {
  static forRoot(house: AppContext): DynamicModule {
    return {
      module: RestModule,
      controllers: [
        ...always,
        ...(house.config.metricsPort === undefined ? [MetricsController] : []),
        ...(house.config.roles.has('rest') ? rest : []),
      ],
      providers: [
        ...InfrastructureModule(house),
        ...around,
        ...services,
        ...(house.config.roles.has('rest') ? [ProposalsJob, FleetSamplerJob] : []),
      ],
    };
  }
}
