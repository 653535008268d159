export * from './port/context.ts';
export * from './port/surface.ts';
export * from './port/blob.ts';
export * from './port/model.ts';
export * from './profile/profile.ts';
export * from './workflow/template.ts';
export * from './workflow/render.ts';
export * from './workflow/value-check.ts';
export * from './workflow/inputs.ts';
export * from './workflow/output.ts';
export { walkReachableNodes } from './workflow/reached.ts';
export * from './workflow/shape.ts';
export * from './workflow/check/check.ts';
export * from './workflow/parse.ts';
export { MAX_YAML_CHARS, readYaml, YamlProblem } from './workflow/read-yaml.ts';
export * from './workflow/summary.ts';
export * from './workflow/read-number.ts';
export * from './workflow/read-date.ts';
export * from './workflow/read-value.ts';
export { queryJson, readJsonField, type JsonNode } from './workflow/read-json.ts';
export { needsResponses, inferFieldTypes } from './workflow/typed.ts';
export * from './workflow/json-schema.ts';
export * from './port/fleet-driver.ts';
export * from './port/fleet-state.ts';
export * from './scaling/backoff.ts';
export * from './scaling/conditions.ts';
export * from './scaling/decide.ts';
export * from './port/fleet-decision.ts';
export * from './scaling/observation.ts';
export * from './scaling/tuning.ts';
export * from './workflow/expression.ts';
export {
  compilePattern,
  patternProblem,
  PatternError,
  type LinearPattern,
  type PatternMatch,
} from './regex/linear-regex.ts';
export { wildcard, wildcardRegExp } from './regex/wildcard.ts';
export * from './program/state.ts';
export * from './program/machine.ts';
export * from './program/place.ts';
export * from './program/branch.ts';
export { toTemplateScope } from './program/scope.ts';
export * from './program/history.ts';
export * from './program/find.ts';
export * from './program/dry-run.ts';
export { importRecording, type ChromeImport } from './exchange/import.ts';
export { exportRecording, type ChromeExport } from './exchange/export.ts';
export { exportPlaywright, inputEnvName, type ExportedTest } from './exchange/playwright/export.ts';
export * from './run/budget.ts';
export * from './model/images.ts';
export { withJsonInstructions, parseStructured } from './model/form.ts';
export { tierOfCall } from './model/rung.ts';
export * from './run/model-budget.ts';
export * from './run/run-budget.ts';
export * from './run/ending.ts';
export { RunRegistry } from './run/roster.ts';
export * from './run/intent.ts';
export * from './run/storable.ts';
export * from './secret/masker.ts';
export * from './wheel/deeds.ts';
export { buildHar } from './run/har.ts';
export * from './run/postcondition.ts';
export * from './run/takeover.ts';
export { describeElement, elementLine, ellipsize } from './observation/words.ts';
export * from './observation/text.ts';
export * from './observation/diff.ts';
export * from './observation/picture.ts';
export { jpegSize } from './observation/jpeg.ts';
export * from './port/egress.ts';
export { parseAddress, type Address } from './egress/address.ts';
export * from './egress/pattern.ts';
export * from './egress/verdict.ts';
export * from './politeness/limits.ts';
export * from './politeness/decide.ts';
export { parseRobots, type Robots } from './politeness/robots.ts';
export type {
  AgentState as AgentState,
  AgentGoal,
  AgentCommand as AgentDecision,
  AgentInput,
  AgentNote as AgentNote,
  AgentQuestion as AgentQuestion,
  ReplanDecision,
  Tier,
} from './agent/state.ts';
export {
  turnExpectation,
  MAX_ACTIONS_PER_TURN,
  type GoalClaim,
  type CanvasTarget,
  type PlannedAction,
  type ParsedAnswer,
} from './agent/move.ts';
export { initialAgentState, nextCommand as decideGoal, afterManualControl, reduce } from './agent/machine.ts';
export { approvalPolicyOf } from './agent/permit.ts';
export { plannedActionTitle } from './agent/title.ts';
export { replayEvents } from './agent/recall.ts';
export { parseAnswer } from './agent/dialect/read.ts';
export { toTextDialectRequest, type TextDialectRequest, type TextDialect } from './agent/dialect/in-words.ts';
export { partialReason, partialThought } from './agent/dialect/thought-so-far.ts';
export type { AnswerContext } from './agent/dialect/place.ts';
export {
  requiredApproval,
  requiredDialogApproval,
  isRunSite,
  irreversibleEffect,
  type ApprovalNeeded,
  type ApprovalPolicy,
  type ModelDescription,
} from './agent/guard/guard.ts';
export { compileRun, type CompiledRun, type RecordedRun } from './agent/compile/compile.ts';
export { canvasPointToIdentify } from './agent/guard/drawn.ts';
export { asksForSuggestions, elementsAtPoint, listChanged } from './agent/page.ts';
export { rowsOf } from './agent/rows.ts';
export { credentialPlaceholder, secretNamesIn, toCredentialPlaceholders } from './agent/secrets.ts';
export {
  isAtAnchor,
  isEmptyExpectation,
  verifyClaim,
  needsFullPage,
  unmetExpectation,
  type GoalVerdict,
  type PageText,
  type GoalCriteria,
} from './agent/verify.ts';
export { lostFrom, unusedIn } from './agent/entered.ts';
export { fileIdsIn, type FileFacts } from './agent/files.ts';
export { canVerifyTurnByScreenshot } from './agent/ladder.ts';
export { ACT_TEXT_PROMPT, actTextRequest } from './agent/prompt/act.ts';
export { REPLAN_PROMPT, replanRequest, parseReplan } from './agent/prompt/plan.ts';
export { identifyCanvasRequest, parseCanvasTarget } from './agent/prompt/drawn.ts';
export { describeScreenshotRequest } from './agent/prompt/caption.ts';
export { askScreenshotRequest } from './agent/prompt/question.ts';
export { ACT_VISION_PROMPT, actVisionRequest } from './agent/prompt/see.ts';
export { parseVerdict, verifyGoalRequest, type BeforeAndAfter } from './agent/prompt/verdict.ts';
export { verifyTurnRequest } from './agent/prompt/turn-verdict.ts';
export { newRunCard, type PlannedStep } from './view/run-view.ts';
export { viewActions, type ViewAction } from './view/surface.ts';
export { A2uiStream, runSurfaceId } from './view/writer.ts';
export { HEAL_PROMPT, healRequest, type LostElement } from './agent/prompt/heal.ts';
export { HEAL_PICTURE_PROMPT, healPictureRequest } from './agent/prompt/heal-picture.ts';
export {
  effectOfNamedAction,
  isPositionalLocator,
  isIntendedEffect,
  locatorNames,
  toTargetDescription,
  type TargetDescription as WantedElement,
} from './agent/heal/wanted.ts';
export { hasSimilarName, isCompatibleRole, mostSimilarElement } from './agent/heal/likeness.ts';
export {
  repairedChain,
  hasGoals,
  collectHealedSteps,
  repairWorkflow,
  reasonNotToVerify,
  type RepairResult,
} from './agent/heal/repair.ts';
export { isInOpaqueRegion, stableLocatorsAtPoint, stableLocators } from './agent/heal/lasting.ts';
export { stepTarget, earlierLocators, withoutIterations, type EarlierStepEvent } from './agent/heal/recorded.ts';
export { pageCacheKey, fromCachedTurn, toCachedTurn } from './agent/memory/memory.ts';
export { type KnownValue } from './agent/compile/lift.ts';
