import { fingerprintOf } from './page-queries.ts';
import type { AgentNoteKind, ReplanDecision, AgentState } from './agent-goal.ts';

/*
 * The ladder: what is tried when something did not lead on. The list twice; then the text of the whole page decides whether it did after all;
 * then a picture; then another way is planned; then a person is asked.
 */

/** Failures by the list before the whole page is looked at. */
const LOCAL = 2;
/** Failures in a row that force a picture, whatever the page says. */
const FORCED = 3;
/** Failures after which another way is planned, where there is no picture to look at. */
const BLIND = 4;
/** Turns by pictures that may lead to nothing. */
const VISIONS = 3;
/** How often the same may be wanted on the same page. */
const LOOPS = 3;
/** Seconds that a supervisor waits that does not say how long. */
const WAIT = 10;
/** How often another way is planned before a person is asked. */
const PLANS = 2;

/** @param question of an answer: what the agent asked */
export const withNote = (state: AgentState, kind: AgentNoteKind, note: string, question?: string): AgentState => ({
  ...state,
  notes: [...state.notes, { kind, turn: state.turn, note, ...(question !== undefined && { question }) }],
});

/** Something did not work. @param note null: it was told before */
export function recordFailure(state: AgentState, kind: AgentNoteKind, note: string | null): AgentState {
  const told = note === null ? state : withNote(state, kind, note);
  const now: AgentState = {
    ...told,
    failures: state.failures + 1,
    worked: false,
    expects: null,
    queue: [],
    phase: { kind: 'look' },
  };
  if (now.loops >= LOOPS) return requestReplan(now, note ?? lastNote(now));
  if (now.tier === 'vision') return now.visions >= VISIONS ? requestReplan(now, note ?? lastNote(now)) : now;
  if (now.sees && (kind === 'repeated_turn' || now.failures >= FORCED))
    return escalateToVision(
      now,
      kind === 'repeated_turn' ? 'the same again led to nothing' : `${now.failures} failures in a row`,
    );
  if (now.failures >= BLIND) return requestReplan(now, note ?? lastNote(now));
  return now.failures >= LOCAL ? { ...now, level: 'page' } : now;
}

/**
 * Whether the turn is the last before a picture: a model is asked about it where the page does not say what came of it, and a picture of
 * before it is needed for that.
 */
export const canVerifyTurnByScreenshot = ({ failures, tier, sees }: AgentState): boolean =>
  sees && tier === 'text' && failures >= LOCAL - 1;

/** The page changed, but not as it was to: a failure, though never one for which another way is planned. */
export function recordUnverified(state: AgentState, note: string): AgentState {
  const isLast = !state.sees && state.failures + 1 >= BLIND;
  return recordFailure({ ...state, failures: isLast ? state.failures - 1 : state.failures }, 'problem', note);
}

/** Whether it is time to see by the whole page whether what did not seem to work did. */
export const isFullPageCheckDue = ({ failures, level, tier }: AgentState): boolean =>
  tier === 'text' && level === 'page' && failures >= LOCAL;

/** From here a picture is looked at. */
export const escalateToVision = (state: AgentState, why: string): AgentState => ({
  ...withNote(state, 'escalated', `A picture of the page is looked at: ${why}`),
  tier: 'vision',
  visions: 0,
  phase: { kind: 'look' },
});

/** Something led on: the cheapest way is tried again. */
export const resetEscalation = (state: AgentState): AgentState => ({
  ...state,
  failures: 0,
  visions: 0,
  level: 'view',
  tier: 'text',
  worked: false,
});

/** What was done in the turn led on if the page is another than the one that it was thought about. */
export function creditTurn(state: AgentState): AgentState {
  const before = state.earlier.at(-1);
  const isOther = before && state.seen && fingerprintOf(before) !== fingerprintOf(state.seen);
  return state.worked && isOther ? resetEscalation(state) : state;
}

/** There is nobody who sees: the list has to do. */
export const visionUnavailable = (state: AgentState, why: string): AgentState => ({
  ...withNote(state, 'problem', `There is no picture of the page: ${why}`),
  sees: false,
  tier: 'text',
  level: 'page',
  visions: 0,
  queue: [],
  phase: { kind: 'look' },
});

/** Another way is planned; after some a person is asked. */
export function requestReplan(state: AgentState, why: string): AgentState {
  if (state.plans < PLANS) return { ...state, queue: [], phase: { kind: 'plan', why } };
  return stuck(state, why);
}

function stuck(state: AgentState, why: string): AgentState {
  const question = `The agent is stuck. ${why}`;
  return {
    ...withNote(state, 'human_asked', question),
    queue: [],
    phase: { kind: 'asking', question: { kind: 'words', question } },
  };
}

/** Goes on as it was planned, by a model or by rule. */
export function applyReplan(state: AgentState, { decision, why, plan, seconds = WAIT }: ReplanDecision): AgentState {
  const now: AgentState = { ...state, plans: state.plans + 1 };
  if (decision === 'ask') return stuck(now, why);
  if (decision === 'abort')
    return { ...withNote(now, 'replanned', `abort: ${why}`), queue: [], phase: { kind: 'failed', reason: why } };
  const way = plan.trim();
  const told = withNote(now, 'replanned', `${decision}: ${why}${way ? `. From here: ${way}` : ''}`);
  return {
    ...resetEscalation(told),
    loops: 0,
    plan: way || state.plan,
    // What is to be tried again may be the same as before.
    ...((decision === 'retry' || decision === 'wait') && { tried: new Set<string>() }),
    ...(decision === 'wait'
      ? { queue: [{ kind: 'act', action: { action: 'wait', seconds } }], phase: { kind: 'choose' } }
      : { phase: { kind: 'look' } }),
  };
}

/** Another way, where it is certain what cannot be: no model is asked, and it is no tier. @param plan what to do instead */
export function replanByRule(state: AgentState, why: string, plan: string): AgentState {
  const told: AgentState = { ...withNote(state, 'problem', why), queue: [] };
  return told.plans < PLANS ? applyReplan(told, { decision: 'replan', why: 'by rule', plan }) : stuck(told, why);
}

function lastNote({ notes }: AgentState): string {
  return notes.at(-1)?.note ?? 'Nothing led on';
}
