import { conditionTexts } from '@pilothouse/contract/actions/condition.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { DEFAULT_TURNS } from '@pilothouse/contract/workflow/goal.schema';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { AgentGoal } from '@pilothouse/core/agent/agent-goal';
import { initialAgentState, type AgentState } from '@pilothouse/core/agent/agent-state';
import { replayEvents } from '@pilothouse/core/agent/replay-events';
import { parseHostRules, type HostRule } from '@pilothouse/core/egress/host-rules';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { answersStep, isAtPosition } from '@pilothouse/core/interpreter/step-path';
import { conditionSummary } from '@pilothouse/core/workflow/step-titles';

/** Facts about a goal before the first observation. */
export interface GoalContext {
  readonly position: Pick<StepPosition, 'number' | 'path'>;
  readonly assignment: Pick<Assignment, 'answer' | 'agentEvents' | 'secrets'>;
  /** Host lists of the run; empty: no list. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Address that the workflow opened last before the goal; null: none. */
  readonly openedUrl: string | null;
  /** Applications that the workflow opened before the goal, the last one first. */
  readonly openedApps: readonly string[];
  /** Surface of the workflow. */
  readonly surface: SurfaceKind;
}

/** First state of a goal, with the events and the answer of earlier attempts. */
export function prepareAgentState(
  step: GoalStep,
  { position, assignment, hosts, openedUrl, openedApps, surface }: GoalContext,
): AgentState {
  const events = assignment.agentEvents.filter(({ data }) => isAtPosition(data, position));
  const pending = assignment.answer;
  const answer = pending?.questionNumber !== undefined && answersStep(pending, position) ? pending : null;
  const goal = goalOf(step, { hosts, apps: step.apps ?? openedApps, secrets: assignment.secrets }, surface);
  const state = replayEvents(initialAgentState(goal, answer && earlierAnswerNote(answer), openedUrl), events);
  // Renewals repeat the answer. A new question with the same number would be answered by it.
  return { ...state, counters: { ...state.counters, questions: answer?.questionNumber ?? 0 } };
}

const goalOf = (
  {
    goal,
    outputSchema,
    expect = {},
    requireSources = false,
    maxTurns = DEFAULT_TURNS,
    autoApprove = [],
    siteNotes = {},
    appNotes = {},
  }: GoalStep,
  limits: Omit<AgentGoal['limits'], 'autoApprove'>,
  surface: SurfaceKind,
): AgentGoal => ({
  text: goal,
  outputSchema: outputSchema ?? null,
  texts: conditionTexts(expect),
  condition: conditionSummary({ ...expect, text: undefined }) || null,
  requiresSources: requireSources,
  maxTurns,
  surface,
  siteNotes: Object.entries(siteNotes).flatMap(([site, note]) =>
    parseHostRules([site]).map((rule) => ({ site: rule, note })),
  ),
  appNotes: Object.entries(appNotes).map(([app, note]) => ({ app, note })),
  limits: { ...limits, autoApprove: new Set(autoApprove) },
});

const earlierAnswerNote = ({ text, choice }: RunAnswer) =>
  `Before the goal restarted, a person answered: ${text ?? choice}`;
