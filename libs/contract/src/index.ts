export * from './scalar.ts';
export * from './error/catalogue.ts';
export * from './error/error.ts';
export * from './error/fields.ts';
export * from './action/locator.ts';
export * from './action/condition.ts';
export * from './action/extract.ts';
export { modifierSchema, positionSchema, type Modifier, type Position } from './action/pointer.ts';
export * from './action/action.ts';
export * from './workflow/value-schema.ts';
export * from './workflow/test.ts';
export {
  blockActions,
  DEFAULT_MAX_ITERATIONS,
  walkNodes,
  firstStepIn,
  isBlock,
  childLists,
  MAX_ITERATIONS,
  type NodeList,
} from './workflow/flow.ts';
export * from './workflow/step.ts';
export * from './workflow/block.ts';
export { browserOptionsSchema, profileOf, type BrowserOptions } from './workflow/browser-options.ts';
export * from './workflow/workflow.ts';
export * from './workflow/known.ts';
export * from './exchange/recorder.ts';
export * from './egress/egress.ts';
export * from './politeness/politeness.ts';
export * from './profile/profile.ts';
export * from './run/status.ts';
export * from './wheel/wheel.ts';
export * from './run/question.ts';
export * from './run/artifact.ts';
export * from './run/run.ts';
export * from './run/budgets.ts';
export * from './run/console.ts';
export * from './run/har.ts';
export * from './observation/observation.ts';
export * from './model/model.ts';
export * from './model/settings.ts';
export * from './model/memory.ts';
export * from './model/expectation.ts';
export * from './a2ui/a2ui.ts';
export * from './event/event.ts';
export * from './event/upgrade.ts';
export * from './event/make.ts';
export * from './fleet/condition.ts';
export * from './fleet/fleet.ts';
export * from './fleet/slots.ts';
export * from './key/key.ts';
export * from './user/local-path.ts';
export * from './user/user.ts';
export * from './user/member.ts';
export * from './user/oidc.ts';
export * from './user/audit.ts';
export * from './worker/shared.ts';
export * from './worker/metrics.ts';
export * from './worker/from-worker.ts';
export * from './worker/to-worker.ts';
export * from './api/route.ts';
export * from './api/forwarded.ts';
export * from './api/query.ts';
export * from './api/runs.ts';
export * from './api/wheel.ts';
export * from './api/a2ui.ts';
export * from './api/compile.ts';
export * from './api/dead-letters.ts';
export * from './api/workflows.ts';
export * from './api/keys.ts';
export * from './api/sessions.ts';
export * from './api/members.ts';
export * from './api/models.ts';
export * from './api/audit.ts';
export * from './api/files.ts';
export * from './api/fleets.ts';
export * from './api/queue.ts';
export * from './api/project.ts';
export * from './api/profiles.ts';
export * from './api/proposals.ts';
export * from './api/retention.ts';
export * from './api/statistics.ts';
export * from './api/views.ts';
export * from './api/house.ts';
export * from './api/routes.ts';
