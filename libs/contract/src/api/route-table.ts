import { a2uiRoutes } from './a2ui.routes.ts';
import { auditRoutes } from './audit.routes.ts';
import { compilationRoutes } from './compilation.routes.ts';
import { datasetRoutes } from './datasets.routes.ts';
import { deadLetterRoutes } from './dead-letters.routes.ts';
import { objectRoutes } from './objects.routes.ts';
import { fleetRoutes, queueRoutes } from './fleets.routes.ts';
import { systemRoutes } from './system.routes.ts';
import { keyRoutes, sessionRoutes } from './auth.routes.ts';
import { learningRoutes } from './learning.routes.ts';
import { mcpRoutes } from './mcp.routes.ts';
import { memberRoutes } from './members.routes.ts';
import { modelRoutes, projectRoutes, retentionRoutes, statisticsRoutes } from './project.routes.ts';
import { profileRoutes } from './profiles.routes.ts';
import { proposalRoutes } from './proposals.routes.ts';
import type { RouteDefinition } from './route-definition.ts';
import { tuningRoutes } from './tuning.routes.ts';
import { registryRoutes } from './registry.routes.ts';
import { runRoutes } from './runs.routes.ts';
import { secretRoutes } from './secrets.routes.ts';
import { savingsRoutes } from './savings.routes.ts';
import { savedViewRoutes } from './saved-views.routes.ts';
import { controlRoutes } from './control.routes.ts';
import { traceRoutes } from './traces.routes.ts';
import { workflowRoutes } from './workflows.routes.ts';

/** Every route of the REST API, by its name, which is its operation id too. */
export const routes = {
  ...runRoutes,
  ...controlRoutes,
  ...a2uiRoutes,
  ...compilationRoutes,
  ...deadLetterRoutes,
  ...workflowRoutes,
  ...objectRoutes,
  ...fleetRoutes,
  ...queueRoutes,
  ...projectRoutes,
  ...modelRoutes,
  ...learningRoutes,
  ...profileRoutes,
  ...secretRoutes,
  ...proposalRoutes,
  ...datasetRoutes,
  ...registryRoutes,
  ...traceRoutes,
  ...tuningRoutes,
  ...retentionRoutes,
  ...statisticsRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...savedViewRoutes,
  ...savingsRoutes,
  ...auditRoutes,
  ...mcpRoutes,
  ...systemRoutes,
} as const satisfies Record<string, RouteDefinition>;

export type RouteName = keyof typeof routes;

/** All routes with their names. */
export const routeList: readonly (RouteDefinition & { readonly name: string })[] = Object.entries(routes).map(
  ([name, definition]) => ({ name, ...definition }),
);
