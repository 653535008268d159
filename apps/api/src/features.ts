import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { A2uiActionsService } from './a2ui/a2ui-actions.service.ts';
import { A2uiStreamService } from './a2ui/a2ui-stream.service.ts';
import { A2uiController } from './a2ui/a2ui.controller.ts';
import { ApiKeysController } from './api-keys/api-keys.controller.ts';
import { ApiKeysService } from './api-keys/api-keys.service.ts';
import { SignInModule } from './auth/sign-in.module.ts';
import { DatasetExportsService } from './datasets/dataset-exports.service.ts';
import { DatasetsController } from './datasets/datasets.controller.ts';
import { DatasetsService } from './datasets/datasets.service.ts';
import { DeadLettersController } from './dead-letters/dead-letters.controller.ts';
import { DeadLettersService } from './dead-letters/dead-letters.service.ts';
import { FleetSamplerTask } from './fleets/fleet-sampler.task.ts';
import { FleetsController } from './fleets/fleets.controller.ts';
import { FleetsService } from './fleets/fleets.service.ts';
import { EvaluationsService } from './learning/evaluations.service.ts';
import { JobEventsService } from './jobs/job-events.service.ts';
import { JobsController } from './jobs/jobs.controller.ts';
import { JobsService } from './jobs/jobs.service.ts';
import { McpController } from './mcp/mcp.controller.ts';
import { McpService } from './mcp/mcp.service.ts';
import { InvitationsService } from './members/invitations.service.ts';
import { MembersController } from './members/members.controller.ts';
import { MembersService } from './members/members.service.ts';
import { OneTimeLinks } from './members/one-time-links.ts';
import { PasswordsService } from './members/passwords.service.ts';
import { MetricsController } from './metrics/metrics-server.ts';
import { ModelCheckService } from './models/model-check.service.ts';
import { ModelsController } from './models/models.controller.ts';
import { ModelRateLimitModule } from './models/models.module.ts';
import { ObjectsController } from './objects/objects.controller.ts';
import { ObjectsService } from './objects/objects.service.ts';
import { OpenApiController, OpenApiService } from './openapi/openapi.controller.ts';
import { ProfilesController } from './profiles/profiles.controller.ts';
import { ProfilesService } from './profiles/profiles.service.ts';
import { ProjectsController } from './projects/projects.controller.ts';
import { ProjectsService } from './projects/projects.service.ts';
import { QueueModule } from './queue/queue.module.ts';
import { RegistryController } from './registry/registry.controller.ts';
import { RegistryService } from './registry/registry.service.ts';
import { RunsModule } from './runs/runs.module.ts';
import { SavedViewsController } from './saved-views/saved-views.controller.ts';
import { SavedViewsService } from './saved-views/saved-views.service.ts';
import { ProjectSecretsController } from './secrets/project-secrets.controller.ts';
import { ProjectSecretsService } from './secrets/project-secrets.service.ts';
import { StatisticsController } from './statistics/statistics.controller.ts';
import { StatisticsService } from './statistics/statistics.service.ts';
import { TuningController } from './tuning/tuning.controller.ts';
import { TuningService } from './tuning/tuning.service.ts';

/* Features whose services no other feature uses. The others have a module of their own. */

@Module({})
class FeatureModule {}

const feature = (
  controller: Type,
  providers: readonly Provider[] = [],
  imports: readonly Type[] = [],
): DynamicModule => ({
  module: FeatureModule,
  controllers: [controller],
  providers: [...providers],
  imports: [...imports],
});

/** Objects behind signed URLs, for every replica. */
export const objectsFeature = feature(ObjectsController, [ObjectsService]);

/** Serves the metrics on the port of the API; not imported if they have a separate port. */
export const metricsFeature = feature(MetricsController);

/** Features of the role `rest`. */
export const restFeatures: readonly DynamicModule[] = [
  feature(A2uiController, [A2uiStreamService, A2uiActionsService], [RunsModule]),
  feature(ApiKeysController, [ApiKeysService]),
  feature(DatasetsController, [DatasetsService, DatasetExportsService]),
  feature(DeadLettersController, [DeadLettersService], [RunsModule]),
  feature(FleetsController, [FleetsService, FleetSamplerTask], [QueueModule]),
  feature(JobsController, [JobsService, JobEventsService, EvaluationsService]),
  feature(McpController, [McpService]),
  feature(MembersController, [MembersService, InvitationsService, PasswordsService, OneTimeLinks], [SignInModule]),
  feature(ModelsController, [ModelCheckService], [ModelRateLimitModule]),
  feature(OpenApiController, [OpenApiService]),
  feature(ProfilesController, [ProfilesService]),
  feature(ProjectsController, [ProjectsService], [QueueModule]),
  feature(RegistryController, [RegistryService]),
  feature(ProjectSecretsController, [ProjectSecretsService]),
  feature(SavedViewsController, [SavedViewsService]),
  feature(StatisticsController, [StatisticsService]),
  feature(TuningController, [TuningService]),
];
