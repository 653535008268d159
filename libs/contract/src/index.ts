export * from './primitives.schema.ts';
export * from './nearest.ts';
export * from './errors/error-codes.ts';
export * from './errors/pilothouse-error.ts';
export * from './errors/field-errors.ts';
export * from './actions/locator.schema.ts';
export * from './actions/condition.schema.ts';
export * from './actions/extraction.schema.ts';
export { modifierSchema, positionSchema, type Modifier, type Position } from './actions/shared-actions.schema.ts';
export * from './actions/action-sets.ts';
export * from './workflow/value.schema.ts';
export * from './workflow/control-flow.schema.ts';
export * from './workflow/step-retry.schema.ts';
export {
  reservedStepIds,
  blockActions,
  DEFAULT_MAX_ITERATIONS,
  walkNodes,
  firstStepIn,
  isBlock,
  childLists,
  MAX_ITERATIONS,
  type NodeList,
} from './workflow/control-flow.schema.ts';
export * from './agent/agent.schema.ts';
export * from './workflow/step.schema.ts';
export * from './events/run.events.ts';
export * from './workflow/workflow-node.schema.ts';
export { browserOptionsSchema, profileOf, type BrowserOptions } from './workflow/browser-options.schema.ts';
export * from './workflow/workflow.schema.ts';
export * from './worker/assignment.schema.ts';
export * from './workflow/chrome-recording.schema.ts';
export * from './project/egress.schema.ts';
export * from './project/politeness.schema.ts';
export * from './project/profile.schema.ts';
export * from './run/run-status.ts';
export * from './control/control.schema.ts';
export * from './run/run-question.schema.ts';
export * from './run/artifact.schema.ts';
export * from './run/run.schema.ts';
export * from './run/budget.schema.ts';
export * from './run/capture.schema.ts';
export * from './observation/observation.schema.ts';
export * from './model/model.schema.ts';
export * from './model/model-settings.schema.ts';
export * from './a2ui/a2ui.schema.ts';
export * from './events/event-upgrades.ts';
export * from './events/event-log.schema.ts';
export * from './fleet/fleet.schema.ts';
export * from './project/api-key.schema.ts';
export * from './project/local-path.ts';
export * from './project/user.schema.ts';
export * from './project/member.schema.ts';
export * from './api/audit.routes.ts';
export * from './worker/worker-metrics.schema.ts';
export * from './worker/from-worker.messages.ts';
export * from './worker/to-worker.messages.ts';
export * from './api/route-definition.ts';
export * from './api/forwarded-headers.ts';
export * from './api/query-params.ts';
export * from './api/runs.routes.ts';
export * from './api/control.routes.ts';
export * from './api/a2ui.routes.ts';
export * from './api/compilation.routes.ts';
export * from './api/dead-letters.routes.ts';
export * from './api/workflows.routes.ts';
export * from './api/auth.routes.ts';
export * from './api/members.routes.ts';
export * from './api/project.routes.ts';
export * from './api/objects.routes.ts';
export * from './api/fleets.routes.ts';
export * from './api/profiles.routes.ts';
export * from './api/proposals.routes.ts';
export * from './api/saved-views.routes.ts';
export * from './api/system.routes.ts';
export * from './api/route-table.ts';
