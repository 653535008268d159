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
  KeyStore,
  MemberStore,
  ProfileStore,
  ProposalStore,
  ProjectSettings,
  ProjectStore,
  QueueStore,
  RunReader,
  RunStatistics,
  SessionStore,
  SignInTries,
  UploadStore,
  UserStore,
  ViewStore,
  WorkflowFigureStore,
  WorkflowStore,
} from '@pilothouse/infra-db';
import { A2uiController } from './a2ui/a2ui.controller.ts';
import { A2uiService } from './a2ui/a2ui.service.ts';
import { ActionsService } from './a2ui/actions.service.ts';
import { AuditController } from './audit/audit.controller.ts';
import { AuditRecorder } from './audit/audit.recorder.ts';
import { AuditService } from './audit/audit.service.ts';
import { RefusedSignIns } from './audit/refused.sign-ins.ts';
import { AuthGuard } from './auth/auth.guard.ts';
import { Callers } from './auth/callers.ts';
import { DeadLettersController } from './dead-letters/dead-letters.controller.ts';
import { DeadLettersService } from './dead-letters/dead-letters.service.ts';
import { FleetsController } from './fleets/fleets.controller.ts';
import { FleetSamples } from './fleets/fleet.samples.ts';
import { FleetsService } from './fleets/fleets.service.ts';
import { LiveController } from './live/live.controller.ts';
import { LiveViews } from './live/live.views.ts';
import { Thoughts } from './live/thoughts.ts';
import { HealthController } from './health/health.controller.ts';
import { HealthService } from './health/health.service.ts';
import type { House } from './house.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { RouteInterceptor } from './route.interceptor.ts';
import { KeysController } from './keys/keys.controller.ts';
import { KeysService } from './keys/keys.service.ts';
import { ObjectsController } from './objects/objects.controller.ts';
import { ObjectsService } from './objects/objects.service.ts';
import { OpenApiController } from './openapi/openapi.controller.ts';
import { OpenApiService } from './openapi/openapi.service.ts';
import { InvitationsService } from './members/invitations.service.ts';
import { Links } from './members/links.ts';
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
import { RepairsService } from './proposals/repairs.service.ts';
import { Admission } from './queue/admission.ts';
import { QueueController } from './queue/queue.controller.ts';
import { QueueService } from './queue/queue.service.ts';
import { RetentionController } from './retention/retention.controller.ts';
import { RetentionJob } from './retention/retention.job.ts';
import { RetentionService } from './retention/retention.service.ts';
import { Retention } from './retention/retention.ts';
import { ApprovalsService } from './proposals/approvals.service.ts';
import { CompileService } from './proposals/compile.service.ts';
import { EventsService } from './runs/events.service.ts';
import { IdempotencyService } from './runs/idempotency.service.ts';
import { ManyRunsService } from './runs/many.service.ts';
import { RunsController } from './runs/runs.controller.ts';
import { RunsService } from './runs/runs.service.ts';
import { SubmitService } from './runs/submit.service.ts';
import { OidcService, openOidc } from './sessions/oidc.service.ts';
import { Sessions } from './auth/sessions.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { SetupService } from './sessions/setup.service.ts';
import { SignInService } from './sessions/sign-in.service.ts';
import { TryLimits } from './sessions/try.limits.ts';
import { StatisticsController } from './statistics/statistics.controller.ts';
import { StatisticsService } from './statistics/statistics.service.ts';
import {
  CHECKS,
  CLOCK,
  CONSOLE_URL,
  KEEP,
  LOG,
  METRICS,
  MODELS,
  OBJECTS,
  OIDC,
  POOL,
  PUBLIC_URL,
  STOPPING,
  VAULT,
} from './tokens.ts';
import { UploadsController } from './uploads/uploads.controller.ts';
import { UploadsService } from './uploads/uploads.service.ts';
import { ViewsController } from './views/views.controller.ts';
import { ViewsService } from './views/views.service.ts';
import { WheelController } from './wheel/wheel.controller.ts';
import { WheelRelay } from './wheel/wheel.relay.ts';
import { WheelService } from './wheel/wheel.service.ts';
import { Pictures } from './workflows/pictures.ts';
import { WorkflowsController } from './workflows/workflows.controller.ts';
import { WorkflowsService } from './workflows/workflows.service.ts';

/** Controllers of a replica that only serves workers and their files. */
const always = [HealthController, ObjectsController];
const rest = [
  RunsController,
  A2uiController,
  LiveController,
  WheelController,
  DeadLettersController,
  WorkflowsController,
  UploadsController,
  FleetsController,
  QueueController,
  ProjectsController,
  ModelsController,
  ProfilesController,
  ProposalsController,
  ViewsController,
  RetentionController,
  StatisticsController,
  KeysController,
  MembersController,
  AuditController,
  SessionsController,
  OpenApiController,
];

const services = [
  SubmitService,
  RunsService,
  EventsService,
  ApprovalsService,
  CompileService,
  A2uiService,
  ActionsService,
  ManyRunsService,
  WheelService,
  IdempotencyService,
  DeadLettersService,
  WorkflowsService,
  Pictures,
  UploadsService,
  FleetsService,
  QueueService,
  ProjectsService,
  ProfilesService,
  ProposalsService,
  ViewsService,
  RepairsService,
  RetentionService,
  StatisticsService,
  KeysService,
  Sessions,
  Callers,
  TryLimits,
  SignInService,
  SetupService,
  OidcService,
  AuditService,
  RefusedSignIns,
  Links,
  MembersService,
  InvitationsService,
  PasswordsService,
  OpenApiService,
  HealthService,
  ObjectsService,
];

/** What everything stands on. */
const ground = ({
  config,
  pool,
  stores,
  way,
  views,
  thoughts,
  wheels,
  retention,
  objects,
  vault,
  metrics,
  log,
  checks,
  stopping,
  publicUrl,
}: House): Provider[] => [
  { provide: ProjectStore, useValue: stores.projects },
  { provide: ProjectSettings, useValue: stores.settings },
  { provide: KeyStore, useValue: stores.keys },
  { provide: AuditStore, useValue: stores.audit },
  { provide: UserStore, useValue: stores.users },
  { provide: MemberStore, useValue: stores.members },
  { provide: IdentityStore, useValue: stores.identities },
  { provide: InvitationStore, useValue: stores.invitations },
  { provide: SessionStore, useValue: stores.sessions },
  { provide: SignInTries, useValue: stores.signInTries },
  { provide: WorkflowStore, useValue: stores.workflows },
  { provide: WorkflowFigureStore, useValue: stores.figures },
  { provide: ProfileStore, useValue: stores.profiles },
  { provide: UploadStore, useValue: stores.uploads },
  { provide: IdempotencyStore, useValue: stores.idempotency },
  { provide: LiveViews, useValue: views },
  { provide: Thoughts, useValue: thoughts },
  { provide: WheelRelay, useValue: wheels },
  { provide: RunReader, useValue: stores.runs },
  { provide: RunStatistics, useValue: stores.statistics },
  { provide: DeadLetterStore, useValue: stores.deadLetters },
  { provide: FleetStore, useValue: stores.fleets },
  { provide: FleetHistoryStore, useValue: stores.fleetHistory },
  { provide: QueueStore, useValue: stores.queues },
  { provide: Retention, useValue: retention.retention },
  { provide: RetentionJob, useValue: retention.job },
  { provide: Admission, useValue: new Admission(pool, way.dispatch) },
  { provide: OBJECTS, useValue: objects },
  { provide: ProposalStore, useValue: stores.proposals },
  { provide: ViewStore, useValue: stores.views },
  { provide: POOL, useValue: pool },
  { provide: VAULT, useValue: vault },
  { provide: METRICS, useValue: metrics },
  { provide: LOG, useValue: log },
  { provide: CLOCK, useValue: systemClock },
  { provide: CHECKS, useValue: checks },
  { provide: STOPPING, useValue: stopping.signal },
  { provide: PUBLIC_URL, useValue: publicUrl },
  { provide: OIDC, useValue: openOidc(config.oidc, publicUrl) },
  { provide: CONSOLE_URL, useValue: config.consoleUrl },
  { provide: KEEP, useValue: config.keep },
  { provide: MODELS, useValue: config.models },
];

/** What stands before and after every handler. */
const around: Provider[] = [
  AuditRecorder,
  { provide: APP_GUARD, useClass: AuthGuard },
  { provide: APP_INTERCEPTOR, useClass: RouteInterceptor },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** The REST part of the API; needs the way of a run (WayModule). */
@Module({})
export class RestModule {
  static forRoot(house: House): DynamicModule {
    return {
      module: RestModule,
      controllers: [
        ...always,
        ...(house.config.metricsPort === undefined ? [MetricsController] : []),
        ...(house.config.parts.has('rest') ? rest : []),
      ],
      providers: [
        ...ground(house),
        ...around,
        ...services,
        ...(house.config.parts.has('rest') ? [ProposalsJob, FleetSamples] : []),
      ],
    };
  }
}
