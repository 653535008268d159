import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import {
  ApiKeyStore,
  AuditStore,
  DatasetStore,
  DeadLetterStore,
  FleetHistoryStore,
  FleetQueueStore,
  FleetStore,
  IdempotencyStore,
  IdentityStore,
  InvitationStore,
  JobStore,
  MemberStore,
  ProfileStore,
  ProjectSecretStore,
  RegistryStore,
  RepeatedGoalStore,
  ProjectSettingsStore,
  ProjectStore,
  ProposalStore,
  RunMeasurementStore,
  RunReactionStore,
  RunReader,
  RunStatistics,
  SavedViewStore,
  SavingsStore,
  SignInAttemptStore,
  UploadStore,
  UserSessionStore,
  UserStore,
  WorkflowStatsStore,
  WorkflowStore,
  type Stores,
} from '@pilothouse/infra-db';
import {
  APP_CONTEXT,
  CLOCK,
  CONSOLE_URL,
  EXPORT_DESTINATIONS,
  DEFAULT_RETENTION,
  LOG,
  METRICS,
  MODELS_CONFIG,
  OBJECTS,
  POOL,
  PUBLIC_URL,
  SCHEDULER,
  SHUTDOWN_SIGNAL,
  TUNING_SOURCES,
  VAULT,
} from '../common/injection-tokens.ts';
import type { AppContext } from './app-context.ts';

const storeProviders = (stores: Stores): Provider[] => [
  { provide: ApiKeyStore, useValue: stores.keys },
  { provide: AuditStore, useValue: stores.audit },
  { provide: DatasetStore, useValue: stores.datasets },
  { provide: DeadLetterStore, useValue: stores.deadLetters },
  { provide: FleetHistoryStore, useValue: stores.fleetHistory },
  { provide: FleetQueueStore, useValue: stores.queues },
  { provide: FleetStore, useValue: stores.fleets },
  { provide: IdempotencyStore, useValue: stores.idempotency },
  { provide: IdentityStore, useValue: stores.identities },
  { provide: InvitationStore, useValue: stores.invitations },
  { provide: JobStore, useValue: stores.jobs },
  { provide: MemberStore, useValue: stores.members },
  { provide: ProfileStore, useValue: stores.profiles },
  { provide: ProjectSecretStore, useValue: stores.secrets },
  { provide: RegistryStore, useValue: stores.registry },
  { provide: RepeatedGoalStore, useValue: stores.repeatedGoals },
  { provide: SavingsStore, useValue: stores.savings },
  { provide: RunMeasurementStore, useValue: stores.runMeasurements },
  { provide: RunReactionStore, useValue: stores.runReactions },
  { provide: ProjectSettingsStore, useValue: stores.settings },
  { provide: ProjectStore, useValue: stores.projects },
  { provide: ProposalStore, useValue: stores.proposals },
  { provide: RunReader, useValue: stores.runs },
  { provide: RunStatistics, useValue: stores.statistics },
  { provide: SavedViewStore, useValue: stores.savedViews },
  { provide: SignInAttemptStore, useValue: stores.signInAttempts },
  { provide: UploadStore, useValue: stores.uploads },
  { provide: UserSessionStore, useValue: stores.sessions },
  { provide: UserStore, useValue: stores.users },
  { provide: WorkflowStatsStore, useValue: stores.workflowStats },
  { provide: WorkflowStore, useValue: stores.workflows },
];

const adapterProviders = (context: AppContext): Provider[] => [
  { provide: APP_CONTEXT, useValue: context },
  { provide: CLOCK, useValue: systemClock },
  { provide: CONSOLE_URL, useValue: context.config.consoleUrl },
  { provide: DEFAULT_RETENTION, useValue: context.config.retention },
  { provide: EXPORT_DESTINATIONS, useValue: context.config.destinations ?? {} },
  { provide: LOG, useValue: context.log },
  { provide: METRICS, useValue: context.metrics },
  { provide: MODELS_CONFIG, useValue: context.config.models },
  { provide: OBJECTS, useValue: context.objects },
  { provide: POOL, useValue: context.pool },
  { provide: PUBLIC_URL, useValue: context.publicUrl },
  { provide: SCHEDULER, useValue: context.scheduler },
  { provide: SHUTDOWN_SIGNAL, useValue: context.shutdown.signal },
  { provide: TUNING_SOURCES, useValue: context.config.tuningSources ?? [] },
  { provide: VAULT, useValue: context.vault },
];

/** Provides the adapters, settings and stores of the context to every module. */
@Global()
@Module({})
export class InfrastructureModule {
  static forRoot(context: AppContext): DynamicModule {
    const providers = [...adapterProviders(context), ...storeProviders(context.stores)];
    return {
      module: InfrastructureModule,
      providers,
      exports: providers.map((provider) => (provider as { provide: symbol }).provide),
    };
  }
}
