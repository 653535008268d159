import { conditionTexts } from '@pilothouse/contract/actions/condition.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { AgentNote } from '@pilothouse/contract/project/agent-notes.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { DEFAULT_TURNS } from '@pilothouse/contract/workflow/goal.schema';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { AgentGoal } from '@pilothouse/core/agent/agent-goal';
import { initialAgentState, type AgentState } from '@pilothouse/core/agent/agent-state';
import { shippedAppNotes } from '@pilothouse/core/agent/shipped-notes';
import { replayEvents } from '@pilothouse/core/agent/replay-events';
import { parseHostRules, type HostRule } from '@pilothouse/core/egress/host-rules';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { answersStep, isAtPosition } from '@pilothouse/core/interpreter/step-path';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { conditionSummary } from '@pilothouse/core/workflow/step-titles';

/** Facts about a goal before the first observation. */
export interface GoalContext {
  readonly position: Pick<StepPosition, 'number' | 'path'>;
  readonly assignment: Pick<Assignment, 'answer' | 'agentEvents' | 'secrets' | 'agentNotes' | 'isAlwaysVision'>;
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
  const limits = { hosts, apps: step.apps ?? openedApps, secrets: assignment.secrets };
  const { isAlwaysVision = false, agentNotes } = assignment;
  const goal: AgentGoal = { ...goalOf(step, limits, surface, agentNotes), isAlwaysVision };
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
  projectNotes: readonly AgentNote[],
): AgentGoal => ({
  text: goal,
  outputSchema: outputSchema ?? null,
  texts: conditionTexts(expect),
  condition: conditionSummary({ ...expect, text: undefined }) || null,
  requiresSources: requireSources,
  maxTurns,
  surface,
  siteNotes: [
    ...Object.entries(siteNotes),
    ...projectNotes.flatMap(({ site, text }) => (site === undefined ? [] : [[site, text] as const])),
  ].flatMap(([site, note]) => parseHostRules([site]).map((rule) => ({ site: rule, note }))),
  appNotes: [
    ...Object.entries(appNotes).map(([app, note]) => ({ app, note })),
    ...projectNotes.flatMap(({ app, text }) => (app === undefined ? [] : [{ app, note: text }])),
    ...(surfaceTraits[surface].isPaged ? [] : shippedAppNotes),
  ],
  limits: { ...limits, autoApprove: new Set(autoApprove) },
});

const earlierAnswerNote = ({ text, choice }: RunAnswer) =>
  `Before the goal restarted, a person answered: ${text ?? choice}`;
