export * from './ports/runtime.port.ts';
export * from './ports/screen-parser.port.ts';
export * from './time/backoff.ts';
export * from './time/deadlines.ts';
export * from './time/timers.ts';
export * from './ports/surface.port.ts';
export * from './ports/surface-action.port.ts';
export * from './ports/surface-recorders.port.ts';
export * from './ports/blob-store.port.ts';
export * from './ports/model.port.ts';
export * from './ports/tuner.port.ts';
export * from './ports/export-destination.port.ts';
export * from './profile/browser-profile.ts';
export * from './workflow/templates.ts';
export * from './secret/secret-placeholders.ts';
export * from './workflow/json-schema.ts';
export * from './workflow/workflow-io.ts';
export { walkReachableNodes } from './workflow/step-effects.ts';
export * from './workflow/step-types.ts';
export { posixLocale } from './workflow/desktop-options.ts';
export * from './workflow/lint/lint-workflow.ts';
export { surfacesOfStep } from './workflow/lint/lint-surface.ts';
export * from './workflow/parse-workflow.ts';
export { MAX_YAML_CHARS, readYaml, YamlProblem } from './workflow/parse-yaml.ts';
export * from './workflow/step-titles.ts';
export { LocatorLog } from './workflow/locator-log.ts';
export * from './workflow/values/parse-number.ts';
export * from './workflow/values/parse-date.ts';
export * from './workflow/values/parse-value.ts';
export { queryJson, readJsonField, type JsonNode } from './workflow/values/read-json.ts';
export { needsResponses, inferFieldTypes } from './workflow/step-types.ts';
export * from './ports/fleet-driver.port.ts';
export * from './ports/fleet-state.port.ts';
export * from './scaling/creation-backoff.ts';
export * from './scaling/scaling-decision.ts';
export * from './scaling/scaling-observation.ts';
export * from './workflow/expressions.ts';
export {
  compilePattern,
  patternProblem,
  PatternError,
  type LinearPattern,
  type PatternMatch,
} from './regex/linear-regex.ts';
export { wildcard, wildcardRegExp } from './regex/wildcard.ts';
export * from './interpreter/interpreter-state.ts';
export * from './interpreter/interpreter.ts';
export * from './interpreter/step-path.ts';
export * from './interpreter/parallel-branches.ts';
export { toTemplateScope } from './interpreter/variable-scope.ts';
export * from './interpreter/replay-history.ts';
export * from './interpreter/dry-run.ts';
export {
  importRecording,
  type ChromeImport,
  exportRecording,
  type ChromeExport,
} from './import-export/chrome-recorder.ts';
export { exportPlaywright, inputEnvName, type ExportedTest } from './import-export/playwright-test.ts';
export * from './evaluation/confidence-interval.ts';
export * from './learning/registry/registered-model-selection.ts';
export * from './learning/registry/rollback-decision.ts';
export * from './evaluation/eval-checks.ts';
export * from './evaluation/eval-report.ts';
export * from './evaluation/webarena-verified.ts';
export * from './run/budget-check.ts';
export * from './run/content-type.ts';
export * from './model/request-images.ts';
export * from './learning/job-retry.ts';
export { withJsonInstructions, parseStructured } from './model/structured-output.ts';
export { higherTier, tierOfCall } from './model/request-images.ts';
export * from './run/run-recovery.ts';
export { RunRegistry } from './run/run-registry.ts';
export * from './run/step-intent.ts';
export * from './run/storable-text.ts';
export * from './secret/secret-masker.ts';
export * from './control/recorded-actions.ts';
export { buildHar } from './run/har-archive.ts';
export * from './workflow/step-effects.ts';
export * from './run/step-retry.ts';
export { describeElement, elementLine, ellipsize } from './observation/observation-text.ts';
export * from './observation/observation-text.ts';
export * from './observation/observation-diff.ts';
export * from './observation/annotated-screenshot.ts';
export { jpegSize } from './observation/annotated-screenshot.ts';
export * from './ports/egress.port.ts';
export { parseAddress, type Address } from './egress/host-rules.ts';
export * from './egress/host-rules.ts';
export * from './egress/egress-decision.ts';
export * from './place/place.ts';
export * from './learning/turn-draft.ts';
export * from './learning/turn-recording.ts';
export * from './politeness/site-limits.ts';
export { parseRobots, type Robots } from './politeness/robots-rules.ts';
export type { AgentGoal } from './agent/agent-goal.ts';
export { appendNote, initialAgentState, withNote, type AgentNote, type AgentState } from './agent/agent-state.ts';
export { type ActCommand, type AgentCommand, type AgentInput, type AgentQuestion } from './agent/agent-protocol.ts';
export {
  turnExpectation,
  MAX_ACTIONS_PER_TURN,
  type GoalClaim,
  type CanvasTarget,
  type PlannedAction,
  type ParsedAnswer,
  plannedActionTitle,
  type ReplanDecision,
} from './agent/planned-action.ts';
export { nextCommand } from './agent/next-command.ts';
export { reduce } from './agent/agent-reducer.ts';
export { approvalPolicyOf } from './agent/approval/approval.ts';
export { replayEvents } from './agent/replay-events.ts';
export { parseAnswer } from './agent/dialects/read-answer.ts';
export {
  toTextDialectRequest,
  type TextDialectRequest,
  type TextDialect,
} from './agent/dialects/text-dialect-request.ts';
export { partialReason, partialThought } from './agent/dialects/answer-parts.ts';
export type { AnswerContext } from './agent/tools/action-arguments.ts';
export {
  requiredApproval,
  requiredDialogApproval,
  irreversibleEffect,
  type ApprovalNeeded,
  type ApprovalPolicy,
  type ModelDescription,
} from './agent/approval/approval-policy.ts';
export { isRunPlace, mayReceiveSecrets, type RunPlaces } from './agent/approval/run-places.ts';
export { compileRun } from './agent/compile/compile-run.ts';
export type { RecordedRun } from './agent/compile/compile-scope.ts';
export type { CompiledRun } from './agent/compile/compiled-definition.ts';
export { canvasPointToIdentify } from './agent/approval/canvas-effects.ts';
export { mayShowSuggestions as asksForSuggestions, elementsAtPoint, listChanged } from './agent/page-queries.ts';
export { rowsOf } from './agent/list-rows.ts';
export { credentialPlaceholder, secretNamesIn, toCredentialPlaceholders } from './secret/secret-placeholders.ts';
export {
  isAtAnchor,
  windowAtAnchor,
  isEmptyExpectation,
  verifyClaim,
  needsFullPage,
  unmetExpectation,
  type GoalVerdict,
  type PageText,
  type GoalCriteria,
} from './agent/goal-verification.ts';
export { lostValues as lostFrom, unusedGoalTexts as unusedIn } from './agent/entered-values.ts';
export { fileIdsIn, type FileFacts } from './agent/file-inputs.ts';
export { canVerifyTurnByScreenshot } from './agent/escalation-tiers.ts';
export { ACT_TEXT_PROMPT, actTextRequest } from './agent/prompts/prompt-sections.ts';
export { promptForSurface } from './agent/prompts/prompt-terms.ts';
export { replanRequest, parseReplan } from './agent/prompts/replan.prompt.ts';
export { identifyCanvasRequest, parseCanvasTarget } from './agent/prompts/identify-canvas-target.prompt.ts';
export {
  describeScreenshotRequest,
  screenshotQuestionRequest as askScreenshotRequest,
} from './agent/prompts/describe-screenshot.prompt.ts';
export { ACT_VISION_PROMPT, actVisionRequest } from './agent/prompts/act-vision.prompt.ts';
export {
  parseVerdict,
  verifyGoalRequest,
  type BeforeAndAfter,
  verifyTurnRequest,
} from './agent/prompts/verify.prompt.ts';
export { newRunCard, oneLine, type PlannedStep } from './a2ui/run-card.ts';
export { viewActions, type ViewAction } from './a2ui/a2ui-components.ts';
export { A2uiStream, runSurfaceId } from './a2ui/a2ui-stream.ts';
export {
  HEAL_PROMPT,
  healRequest,
  type LostElement,
  HEAL_VISION_PROMPT,
  healVisionRequest,
} from './agent/prompts/heal.prompt.ts';
export {
  effectOfNamedAction,
  isPositionalLocator,
  isIntendedEffect,
  locatorNames,
  toTargetDescription,
  type TargetDescription as WantedElement,
  isInOpaqueRegion,
  stableLocatorsAtPoint,
  stableLocators,
} from './agent/healing/lost-element.ts';
export { hasSimilarName, isCompatibleRole, mostSimilarElement } from './agent/healing/element-similarity.ts';
export {
  repairedChain,
  hasGoals,
  collectHealedSteps,
  repairWorkflow,
  reasonNotToVerify,
  type RepairResult,
  stepTarget,
  earlierLocators,
  withoutIterations,
  type EarlierStepEvent,
} from './agent/healing/workflow-repair.ts';
export { pageCacheKey, fromCachedTurn, toCachedTurn } from './agent/action-reuse.ts';
export { type KnownValue } from './agent/compile/templatizer.ts';
export * from './learning/cohens-kappa.ts';
export * from './savings/run-measurement.ts';
export { checkCorrection, type CorrectionProblem } from './learning/correction-check.ts';
export * from './learning/parse-turn-record.ts';
export { findByRules, type RuleFinding } from './learning/score-rules.ts';
export * from './learning/score-steps.ts';
export { parseScoreAnswer, scoreTurnRequest } from './learning/prompts/score-turn.prompt.ts';
export { canonicalJson } from './learning/dataset/canonical-json.ts';
export { CardCounter, cardMarkdown, DATASET_BUILDER } from './learning/dataset/dataset-card.ts';
export { splitGroup, splitOf } from './learning/dataset/dataset-split.ts';
export {
  DuplicateIndex,
  hammingDistance,
  MAX_SAME_IMAGE_BITS,
  textIdentity,
} from './learning/dataset/deduplication.ts';
export { redactExample, secretAreas } from './learning/dataset/example-redaction.ts';
export { exampleOf } from './learning/dataset/trace-example.ts';
export { exportFileName, exportFormatTable, formatSteps } from './learning/formats/export-format.ts';
export type { ExampleWithImage } from './learning/formats/format-types.ts';
export { asksForNextAction, compareAnswers } from './learning/evaluation/answer-agreement.ts';
export { compareAnswer, evaluationRequest, labelOf, needsImage } from './learning/evaluation/evaluation-request.ts';
export { EvaluationTotals, type ExampleOutcome } from './learning/evaluation/evaluation-totals.ts';
export { llamaFactoryInfo } from './learning/formats/llamafactory.format.ts';
export { countExample, estimateTuning, type ExampleCounts } from './learning/tuning/tuning-estimate.ts';
export { addTuningState } from './learning/tuning/tuning-progress.ts';
