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
export { reachedBy } from './workflow/reached.ts';
export * from './workflow/shape.ts';
export * from './workflow/check/check.ts';
export * from './workflow/parse.ts';
export { MAX_YAML_CHARS, readYaml, YamlProblem } from './workflow/read-yaml.ts';
export * from './workflow/summary.ts';
export * from './workflow/read-number.ts';
export * from './workflow/read-date.ts';
export * from './workflow/read-value.ts';
export { findInJson, readJsonField, type JsonNode } from './workflow/read-json.ts';
export { readsResponses, typedByOutput } from './workflow/typed.ts';
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
export { stateTemplates } from './program/scope.ts';
export * from './program/history.ts';
export * from './program/find.ts';
export * from './program/dry-run.ts';
export { importRecording, type Imported } from './exchange/import.ts';
export { exportRecording, type Exported } from './exchange/export.ts';
export { exportPlaywright, inputVariable, type ExportedTest } from './exchange/playwright/export.ts';
export * from './run/budget.ts';
export * from './model/images.ts';
export { formInWords, readForm } from './model/form.ts';
export { rungOfCall } from './model/rung.ts';
export * from './run/model-budget.ts';
export * from './run/run-budget.ts';
export * from './run/ending.ts';
export { Roster } from './run/roster.ts';
export * from './run/intent.ts';
export * from './run/storable.ts';
export * from './secret/masker.ts';
export * from './wheel/deeds.ts';
export { harOf } from './run/har.ts';
export * from './run/postcondition.ts';
export * from './run/takeover.ts';
export { elementInWords, elementLine, shortened } from './observation/words.ts';
export * from './observation/text.ts';
export * from './observation/diff.ts';
export * from './observation/picture.ts';
export { jpegSize } from './observation/jpeg.ts';
export * from './port/egress.ts';
export { readAddress, type Address } from './egress/address.ts';
export * from './egress/pattern.ts';
export * from './egress/verdict.ts';
export * from './politeness/limits.ts';
export * from './politeness/decide.ts';
export { parseRobots, type Robots } from './politeness/robots.ts';
export type {
  State as AgentState,
  Goal,
  Decision as AgentDecision,
  Happening,
  Note as AgentNote,
  Question as AgentQuestion,
  Replan,
  Rung,
} from './agent/state.ts';
export { expectationOf, MAX_MOVES, type Claim, type Drawn, type Move, type Reading } from './agent/move.ts';
export { beginGoal, decide as decideGoal, droveBy, happened } from './agent/machine.ts';
export { goalLimits } from './agent/permit.ts';
export { moveTitle } from './agent/title.ts';
export { recall } from './agent/recall.ts';
export { readAnswer } from './agent/dialect/read.ts';
export { inWords, type InWords, type TextDialect } from './agent/dialect/in-words.ts';
export { reasonSoFar, thoughtSoFar } from './agent/dialect/thought-so-far.ts';
export type { Sight } from './agent/dialect/place.ts';
export {
  guardOf,
  guardOfQuestion,
  isOurs,
  lastingGuard,
  type Guarded,
  type GoalLimits,
  type Said,
} from './agent/guard/guard.ts';
export { compileRun, type CompiledRun, type RecordedRun } from './agent/compile/compile.ts';
export { placeToLook } from './agent/guard/drawn.ts';
export { asksForSuggestions, elementsAt, listChanged } from './agent/page.ts';
export { rowsOf } from './agent/rows.ts';
export { credentialNamed, secretsIn, withCredentials } from './agent/secrets.ts';
export {
  isAt,
  isNothing,
  judge,
  needsPage,
  unmetBy,
  type GoalVerdict,
  type Shown,
  type Wanted,
} from './agent/verify.ts';
export { lostFrom, unusedIn } from './agent/entered.ts';
export { fileIdsIn, type FileFacts } from './agent/files.ts';
export { mayBeJudged } from './agent/ladder.ts';
export { ACT_PROMPT, actRequest } from './agent/prompt/act.ts';
export { PLAN_PROMPT, planRequest, readPlan } from './agent/prompt/plan.ts';
export { drawnRequest, readDrawn } from './agent/prompt/drawn.ts';
export { captionRequest } from './agent/prompt/caption.ts';
export { questionRequest } from './agent/prompt/question.ts';
export { SEE_PROMPT, seeRequest } from './agent/prompt/see.ts';
export { readVerdict, verdictRequest, type Frames } from './agent/prompt/verdict.ts';
export { turnVerdictRequest } from './agent/prompt/turn-verdict.ts';
export { newRunCard, type PlannedStep } from './view/run-view.ts';
export { viewActions, type ViewAction } from './view/surface.ts';
export { RunWriter, surfaceOf } from './view/writer.ts';
export { HEAL_PROMPT, healRequest, type LostElement } from './agent/prompt/heal.ts';
export { HEAL_PICTURE_PROMPT, healPictureRequest } from './agent/prompt/heal-picture.ts';
export {
  guardOfName,
  isByPlace,
  isMeant,
  namesIn,
  wantedOf,
  type Wanted as WantedElement,
} from './agent/heal/wanted.ts';
export { isNamed, isOfRole, mostLike } from './agent/heal/likeness.ts';
export { chainOf, hasGoals, healedSteps, repair, whyNotTried, type Repaired } from './agent/heal/repair.ts';
export { isDrawn, lastingAt, lastingLocators } from './agent/heal/lasting.ts';
export { elementOfStep, recordedLocators, withoutRounds, type FormerStep } from './agent/heal/recorded.ts';
export { pageFacts, turnOf, turnToKeep } from './agent/memory/memory.ts';
export { type Known } from './agent/compile/lift.ts';
