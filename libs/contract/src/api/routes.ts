import { a2uiRoutes } from './a2ui.ts';
import { auditRoutes } from './audit.ts';
import { compilationRoutes } from './compile.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { objectRoutes } from './files.ts';
import { fleetRoutes } from './fleets.ts';
import { systemRoutes } from './house.ts';
import { keyRoutes } from './keys.ts';
import { memberRoutes } from './members.ts';
import { modelRoutes } from './models.ts';
import { projectRoutes } from './project.ts';
import { profileRoutes } from './profiles.ts';
import { proposalRoutes } from './proposals.ts';
import { queueRoutes } from './queue.ts';
import { retentionRoutes } from './retention.ts';
import type { RouteDefinition } from './route.ts';
import { runRoutes } from './runs.ts';
import { sessionRoutes } from './sessions.ts';
import { statisticsRoutes } from './statistics.ts';
import { savedViewRoutes } from './views.ts';
import { controlRoutes } from './wheel.ts';
import { workflowRoutes } from './workflows.ts';

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
  ...profileRoutes,
  ...proposalRoutes,
  ...retentionRoutes,
  ...statisticsRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...savedViewRoutes,
  ...auditRoutes,
  ...systemRoutes,
} as const satisfies Record<string, RouteDefinition>;

/** Name of a route. */
export type RouteName = keyof typeof routes;

/** All routes with their names. */
export const routeList: readonly (RouteDefinition & { readonly name: string })[] = Object.entries(routes).map(
  ([name, definition]) => ({ name, ...definition }),
);
