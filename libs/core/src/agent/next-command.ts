import type { ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
import type { ActCommand, AgentCommand, ObservationDepth } from './agent-protocol.ts';
import type { AgentPhase, AgentState, TurnInProgress } from './agent-state.ts';
import { humanQuestionCommand, lastNoteSuffix, pendingApproval } from './agent-questions.ts';
import { plannedActionTitle } from './planned-action.ts';

/* The next command, by phase. The only place that returns `act`: it checks the approval of the action on the current page again. */

type PhaseOf<Kind extends AgentPhase['kind']> = Extract<AgentPhase, { kind: Kind }>;

const commandsByPhase: {
  readonly [Kind in AgentPhase['kind']]: (phase: PhaseOf<Kind>, state: AgentState) => AgentCommand;
} = {
  observing: ({ turn }, state) => ({
    kind: 'observe',
    depth: observationDepth(turn, state),
    isMidTurn: turn !== null && turn.actions.length > 0,
    ...zoomsOf(turn, state),
  }),
  waiting: ({ depth, expectation }) => ({ kind: 'observe', depth, condition: expectation }),
  verifyingTurn: ({ expectation, detail }) => ({ kind: 'verifyTurn', expectation, detail }),
  thinking: (_, state) => thinkCommand(state),
  acting: (phase, state) => actCommand(phase, state),
  identifyingCanvas: ({ point }) => ({ kind: 'identifyCanvas', point }),
  describingScreenshot: ({ question }) => ({ kind: 'describeScreenshot', question }),
  awaitingApproval: ({ request }, state) => humanQuestionCommand({ kind: 'confirm', request }, state),
  awaitingHuman: ({ question }, state) => humanQuestionCommand({ kind: 'text', question }, state),
  checkingClaim: ({ claim, isEarly }) => ({ kind: 'checkClaim', claim, isEarly }),
  verifyingClaim: ({ claim, detail }) => ({ kind: 'verifyClaim', claim, detail }),
  replanning: ({ reason }) => ({ kind: 'replan', reason }),
  done: ({ answer }) => ({ kind: 'done', answer }),
  failed: ({ reason, code }) => ({ kind: 'fail', reason, ...(code && { code }) }),
};

export function nextCommand(state: AgentState): AgentCommand {
  const command = commandsByPhase[state.phase.kind] as (phase: AgentPhase, state: AgentState) => AgentCommand;
  return command(state.phase, state);
}

function thinkCommand({ counters, goal, escalation, ...state }: AgentState): AgentCommand {
  if (counters.turns < goal.maxTurns) return { kind: 'think', tier: escalation.tier };
  const lastNote = lastNoteSuffix({ counters, goal, escalation, ...state });
  return { kind: 'fail', reason: `Turn limit reached (\`maxTurns\`: ${counters.turns})${lastNote}` };
}

function actCommand({ turn }: PhaseOf<'acting'>, state: AgentState): AgentCommand {
  const [next] = turn.actions;
  const { current } = state.page;
  if (next?.kind !== 'act') return thinkCommand(state);
  const missingRequest = pendingApproval(state);
  if (missingRequest) return humanQuestionCommand({ kind: 'confirm', request: missingRequest.request }, state);
  const { action, what, identification, approval, call } = next;
  return {
    kind: 'act',
    action,
    number: state.counters.actions + 1,
    title: plannedActionTitle(next, current),
    approval: approval ?? null,
    description: { ...(what !== undefined && { what }), ...(identification && { identification }) },
    ...(call !== undefined && { call }),
    isFirstOfTurn: !turn.hasActed,
  } satisfies ActCommand;
}

/** Regions that the calls of the turn enlarge, if its screenshot is next. */
function zoomsOf(turn: TurnInProgress | null, { history }: AgentState): { zooms?: readonly ScreenRegion[] } {
  if (turn?.actions[0]?.kind !== 'see') return {};
  const plans = history.turns.at(-1)?.native?.record.plans ?? [];
  const zooms = plans.flatMap(({ region }) => region ?? []);
  return zooms.length > 0 ? { zooms } : {};
}

/** In the middle of a turn, the element list decides if the turn continues. */
function observationDepth(turn: TurnInProgress | null, { escalation }: AgentState): ObservationDepth {
  const [next] = turn?.actions ?? [];
  if (next?.kind === 'read') return 'page';
  if (next?.kind === 'see') return 'screenshot';
  if (!next && escalation.tier === 'vision') return 'screenshot';
  // The expected page did not appear: the text of the whole page shows which expected texts did.
  const { expectation = null } = turn ?? {};
  return expectation?.hasWaited && expectation.indicators.length > 0 ? 'page' : escalation.depth;
}
