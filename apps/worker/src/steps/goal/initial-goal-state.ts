import { conditionTexts, DEFAULT_TURNS, type RunAnswer, type Assignment, type GoalStep } from '@pilothouse/contract';
import {
  initialAgentState,
  conditionSummary,
  answersStep,
  parseHostRules,
  replayEvents,
  isAtPosition,
  type AgentState,
  type AgentGoal,
  type HostRule,
  type StepPosition,
} from '@pilothouse/core';

/** What an agent knows before it looks. */
export interface Beginning {
  readonly place: Pick<StepPosition, 'number' | 'path'>;
  readonly assignment: Pick<Assignment, 'answer' | 'agentEvents' | 'secrets'>;
  /** Lists of hosts that the run may reach; none: it has no list. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Address that the workflow opened last before the goal; null: none. */
  readonly opened: string | null;
}

/** Where the agent of a step begins: with what an attempt before came to, and what a person answered to it. */
export function prepareAgentState(step: GoalStep, { place, assignment, hosts, opened }: Beginning): AgentState {
  const before = assignment.agentEvents.filter(({ data }) => isAtPosition(data, place));
  const left = assignment.answer;
  const answer = left?.questionNumber !== undefined && answersStep(left, place) ? left : null;
  const goal = goalOf(step, hosts, assignment.secrets);
  const start = replayEvents(initialAgentState(goal, answer && toldBefore(answer), opened), before);
  // Renewals say that answer again: a question of this attempt with its number would be answered by it, and what it asks be allowed.
  return { ...start, asked: answer?.questionNumber ?? 0 };
}

const goalOf = (
  { goal, outputSchema, expect = {}, maxTurns = DEFAULT_TURNS, autoApprove = [], siteNotes = {} }: GoalStep,
  hosts: Beginning['hosts'],
  secrets: Assignment['secrets'],
): AgentGoal => ({
  text: goal,
  outputSchema: outputSchema ?? null,
  texts: conditionTexts(expect),
  condition: conditionSummary({ ...expect, text: undefined }) || null,
  maxTurns,
  siteNotes: Object.entries(siteNotes).flatMap(([site, note]) =>
    parseHostRules([site]).map((rule) => ({ site: rule, note })),
  ),
  limits: { autoApprove: new Set(autoApprove), hosts, secrets },
});

const toldBefore = ({ text, choice }: RunAnswer) =>
  `Before the goal was begun anew, a person answered: ${text ?? choice}`;
