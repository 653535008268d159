import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { routes, type RouteName } from '@pilothouse/contract/api/route-table';
import type { ApiConfig } from '@pilothouse/infra-config';
import { A2uiModule } from './a2ui/a2ui.module.ts';
import { ApiKeysModule } from './api-keys/api-keys.module.ts';
import { AuditInterceptor } from './audit/audit.interceptor.ts';
import { AuditModule } from './audit/audit.module.ts';
import { AuthGuard } from './auth/auth.guard.ts';
import { AuthModule } from './auth/auth.module.ts';
import { SignInModule } from './auth/sign-in.module.ts';
import { ControlModule } from './control/control.module.ts';
import { DeadLettersModule } from './dead-letters/dead-letters.module.ts';
import { FleetsModule } from './fleets/fleets.module.ts';
import { GatewayModule } from './gateway/gateway.module.ts';
import { HealthModule } from './health/health.module.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { RouteInterceptor } from './http/route.interceptor.ts';
import type { AppContext } from './infrastructure/app-context.ts';
import { InfrastructureModule } from './infrastructure/infrastructure.module.ts';
import { LearningJobsModule } from './learning/learning-jobs.module.ts';
import { LearningQueueModule } from './learning/learning-queue.module.ts';
import { LiveModule } from './live/live.module.ts';
import { MembersModule } from './members/members.module.ts';
import { MetricsModule } from './metrics/metrics.module.ts';
import { ModelsModule } from './models/models.module.ts';
import { ObjectsModule } from './objects/objects.module.ts';
import { OpenApiModule } from './openapi/openapi.module.ts';
import { ProfilesModule } from './profiles/profiles.module.ts';
import { ProjectsModule } from './projects/projects.module.ts';
import { ProposalsModule } from './proposals/proposals.module.ts';
import { QueueModule } from './queue/queue.module.ts';
import { DatasetsModule } from './datasets/datasets.module.ts';
import { ReactionsModule } from './reactions/reactions.module.ts';
import { RegistryModule } from './registry/registry.module.ts';
import { RetentionJobModule, RetentionModule } from './retention/retention.module.ts';
import { RunLifecycleModule } from './run-lifecycle/run-lifecycle.module.ts';
import { RunsModule } from './runs/runs.module.ts';
import { SavingsModule } from './savings/savings.module.ts';
import { SavedViewsModule } from './saved-views/saved-views.module.ts';
import { StatisticsModule } from './statistics/statistics.module.ts';
import { TracesModule } from './traces/traces.module.ts';
import { TuningModule } from './tuning/tuning.module.ts';
import { UploadsModule } from './uploads/uploads.module.ts';
import { WorkflowsModule } from './workflows/workflows.module.ts';

type ApiRole = ApiConfig['roles'] extends ReadonlySet<infer Role extends string> ? Role : never;

/** Modules of every replica, for all roles. */
const commonModules = [
  AuthModule,
  RunLifecycleModule,
  LearningQueueModule,
  RetentionJobModule,
  HealthModule,
  ObjectsModule,
];

const modulesByRole: Readonly<Record<ApiRole, readonly Type[]>> = {
  rest: [
    A2uiModule,
    ApiKeysModule,
    AuditModule,
    ControlModule,
    DeadLettersModule,
    FleetsModule,
    LearningJobsModule,
    LiveModule,
    MembersModule,
    ModelsModule,
    OpenApiModule,
    ProfilesModule,
    ProjectsModule,
    ProposalsModule,
    QueueModule,
    DatasetsModule,
    ReactionsModule,
    RegistryModule,
    RetentionModule,
    RunsModule,
    SavedViewsModule,
    SavingsModule,
    SignInModule,
    StatisticsModule,
    TracesModule,
    TuningModule,
    UploadsModule,
    WorkflowsModule,
  ],
  gateway: [GatewayModule],
};

/** Routes of every replica; all others belong to the role `rest`. */
const commonRoutes: ReadonlySet<RouteName> = new Set([
  'readHealth',
  'readReadiness',
  'readObject',
  'headObject',
  'writeObject',
  'readMetrics',
]);

/** Names of the routes that a replica with these settings serves. */
export const servedRoutes = ({ roles, metricsPort }: Pick<ApiConfig, 'roles' | 'metricsPort'>): RouteName[] =>
  (Object.keys(routes) as RouteName[]).filter(
    (name) => (roles.has('rest') || commonRoutes.has(name)) && (name !== 'readMetrics' || metricsPort === undefined),
  );

const modulesOf = ({ roles, metricsPort }: ApiConfig): Type[] => [
  ...commonModules,
  ...[...roles].flatMap((role) => modulesByRole[role]),
  ...(metricsPort === undefined ? [MetricsModule] : []),
];

/** The API: the feature modules for the roles of this replica, with the guard, interceptors and filter of every route. */
@Module({})
export class AppModule {
  static forRoot(context: AppContext): DynamicModule {
    return {
      module: AppModule,
      imports: [InfrastructureModule.forRoot(context), ...modulesOf(context.config)],
      providers: [
        { provide: APP_GUARD, useClass: AuthGuard },
        // In this order: the route interceptor validates the request and sends what the audit interceptor has recorded.
        { provide: APP_INTERCEPTOR, useClass: RouteInterceptor },
        { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
