import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { routes, type RouteName } from '@pilothouse/contract/api/route-table';
import type { ApiConfig } from '@pilothouse/infra-config';
import { AuditInterceptor } from './audit/audit.interceptor.ts';
import { AuditModule } from './audit/audit.module.ts';
import { AuthGuard } from './auth/auth.guard.ts';
import { AuthModule } from './auth/auth.module.ts';
import { SignInModule } from './auth/sign-in.module.ts';
import { ControlModule } from './control/control.module.ts';
import { metricsFeature, objectsFeature, restFeatures } from './features.ts';
import { GatewayModule } from './gateway/gateway.module.ts';
import { HealthModule } from './health/health.module.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { RouteInterceptor } from './http/route.interceptor.ts';
import type { AppContext } from './infrastructure/app-context.ts';
import { InfrastructureModule } from './infrastructure/infrastructure.module.ts';
import { BackgroundQueueModule } from './jobs/background-queue.module.ts';
import { LiveModule } from './live/live.module.ts';
import { ProposalsModule } from './proposals/proposals.module.ts';
import { QueueModule } from './queue/queue.module.ts';
import { ReactionsModule } from './reactions/reactions.module.ts';
import { RetentionTaskModule, RetentionModule } from './retention/retention.module.ts';
import { RunLifecycleModule } from './run-lifecycle/run-lifecycle.module.ts';
import { RunsModule } from './runs/runs.module.ts';
import { SavingsModule } from './savings/savings.module.ts';
import { TracesModule } from './traces/traces.module.ts';
import { UploadsModule } from './uploads/uploads.module.ts';
import { WorkflowsModule } from './workflows/workflows.module.ts';

type ApiRole = ApiConfig['roles'] extends ReadonlySet<infer Role extends string> ? Role : never;

type ImportedModule = Type | DynamicModule;

/** Modules of every replica, for all roles. */
const commonModules: readonly ImportedModule[] = [
  AuthModule,
  RunLifecycleModule,
  BackgroundQueueModule,
  RetentionTaskModule,
  HealthModule,
  objectsFeature,
];

const modulesByRole: Readonly<Record<ApiRole, readonly ImportedModule[]>> = {
  rest: [
    ...restFeatures,
    AuditModule,
    ControlModule,
    LiveModule,
    ProposalsModule,
    QueueModule,
    ReactionsModule,
    RetentionModule,
    RunsModule,
    SavingsModule,
    SignInModule,
    TracesModule,
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

const modulesOf = ({ roles, metricsPort }: ApiConfig): ImportedModule[] => [
  ...commonModules,
  ...[...roles].flatMap((role) => modulesByRole[role]),
  ...(metricsPort === undefined ? [metricsFeature] : []),
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
