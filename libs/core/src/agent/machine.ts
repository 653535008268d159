import { assertNever, type Action, type Json, type Observation } from '@pilothouse/contract';
import { elementInWords } from '../observation/words.ts';
import { actionSummary } from '../workflow/summary.ts';
import { checkValue } from '../workflow/value-check.ts';
import { guardOf, typingElsewhere, type Guarded, type GoalLimits } from './guard/guard.ts';
import type { Move, Reading } from './move.ts';
import { endsTurn, fingerprintOf, listChanged, originOf } from './page.ts';
import type { Decision, Goal, Happening, NoteKind, Question, State } from './state.ts';
import { missingFrom } from './verify.ts';

/*
 * The agent: state + what happened → state, state → what is done next. It waits for nothing, reads no clock and draws no lots.
 */

/** Failures, or the same again, after which more is shown, and after which a person is asked. */
const STRIKES = 3;

/** Observations that are kept besides the newest. */
const WINDOW = 2;

/** Most questions to people in one step. */
const MAX_QUESTIONS = 10;

/** Where the agent begins. @param told what it is told from before; null: nothing */
export const beginGoal = (goal: Goal, told: string | null = null): State => ({
  goal,
  phase: { kind: 'look' },
  turn: 0,
  level: 'view',
  seen: null,
  earlier: [],
  still: false,
  queue: [],
  allowed: false,
  actions: 0,
  turns: [],
  notes: told === null ? [] : [{ what: 'answer', turn: 0, note: told }],
  failures: 0,
  loops: 0,
  tried: new Set(),
  home: null,
  trusted: new Set(),
  asked: 0,
});

/** What the agent does next. */
export function decide(state: State): Decision {
  const { phase, queue, goal } = state;
  switch (phase.kind) {
    case 'look':
      return { kind: 'look', level: state.level };
    case 'check':
    case 'doubt':
    case 'done':
      return phase;
    case 'failed':
      return { kind: 'fail', reason: phase.reason };
    case 'asking':
      return ask(phase.question, state);
    case 'choose': {
      const [move] = queue;
      if (move) return carryOut(move, state);
      if (state.turn >= goal.maxTurns)
        return {
          kind: 'fail',
          reason: `It took ${state.turn} turns, and may take no more (\`maxSteps\`)${lastNote(state)}`,
        };
      return { kind: 'think' };
    }
    default:
      return assertNever(phase);
  }
}

function carryOut(move: Move, state: State): Decision {
  switch (move.kind) {
    case 'read':
      return { kind: 'look', level: 'page' };
    case 'act':
      return { kind: 'act', action: move.action, n: state.actions + 1, title: titleOf(move.action, state.seen) };
    case 'done':
      return { kind: 'check', claim: move.claim, early: false };
    case 'fail':
      return { kind: 'fail', reason: move.reason };
    case 'ask':
      return ask({ kind: 'words', question: `The agent asks: ${move.question}` }, state);
    default:
      return assertNever(move);
  }
}

const ask = (question: Question, state: State): Decision =>
  state.asked < MAX_QUESTIONS
    ? { kind: 'ask', question, n: state.asked + 1, reason: reasonOf(question, state) }
    : { kind: 'fail', reason: `It asked a person ${MAX_QUESTIONS} times${lastNote(state)}` };

/** Where the agent is after something happened. */
export function happened(state: State, happening: Happening): State {
  switch (happening.kind) {
    case 'seen':
      return saw(state, happening.observation);
    case 'thought':
      return thought(state, happening.reading);
    case 'no-thought':
      return failed(begun(state, ''), 'problem', happening.why);
    case 'acted':
      return acted(state, happening);
    case 'checked':
      return checked(state, happening);
    case 'answered':
      return answered(state, happening);
    default:
      return assertNever(happening);
  }
}

function saw(state: State, observation: Observation): State {
  const before = state.seen;
  const moved = before === null || fingerprintOf(before) !== fingerprintOf(observation);
  const origin = originOf(observation.url);
  const isFirst = state.home === null && origin !== null;
  const [next] = state.queue;
  let now: State = {
    ...state,
    phase: { kind: 'choose' },
    seen: observation,
    still: !moved,
    earlier: before && moved ? [...state.earlier, before].slice(-WINDOW) : state.earlier,
    ...(moved && before && { failures: 0, level: 'view' as const }),
    ...(isFirst && { home: origin, trusted: new Set([...state.trusted, origin]) }),
  };
  // What was read is for the model to see: nothing else of the turn is done.
  if (next?.kind === 'read') now = { ...now, queue: [] };
  else if (next?.kind === 'act' && before && listChanged(before, observation)) now = leftOut(now, 'the list changed');
  return now.queue.length > 0 ? guarded(now) : maybeMet(now);
}

/** A goal that the page shows to be met costs no call. */
function maybeMet(state: State): State {
  const { goal, seen } = state;
  if (!seen || goal.success.length === 0 || goal.outputs !== null || missingFrom(goal.success, seen).length > 0)
    return state;
  return { ...state, phase: { kind: 'check', claim: { answer: null, anchor: null, indicators: [] }, early: true } };
}

/** A turn has begun. */
function begun(state: State, thought: string): State {
  const { seen } = state;
  const number = state.turn + 1;
  const turn = { number, where: seen ? seen.title || seen.url : '', thought, did: [] };
  return { ...state, turn: number, turns: [...state.turns, turn] };
}

function thought(state: State, reading: Reading): State {
  const { goal, seen } = state;
  const moves = reading.moves.slice(
    0,
    1 + reading.moves.findIndex((move) => move.kind !== 'act') || reading.moves.length,
  );
  let now: State = { ...begun(state, reading.thought), queue: moves, phase: { kind: 'choose' } };
  for (const problem of reading.problems) now = noted(now, 'problem', problem);
  const misfit = moves.map((move) => misfitOf(move, goal)).find((one) => one !== null);
  if (misfit) return failed(now, 'problem', misfit);
  if (moves.length === 0) return failed(now, 'problem', reading.problems.length > 0 ? null : 'Nothing was called');
  const key = keyOf(moves, seen);
  if (key !== null && state.tried.has(key)) {
    const again = 'You did exactly this before, on exactly this page: it is not done again. Do something else';
    return failed({ ...now, loops: state.loops + 1 }, 'loop', again);
  }
  return guarded(key === null ? now : { ...now, tried: new Set([...state.tried, key]) });
}

/** What is done again on the same page leads nowhere; to look, to wait and to end are no deeds. */
function keyOf(moves: readonly Move[], seen: Observation | null): string | null {
  const deeds = moves.filter((move) => move.kind === 'act' && !patient.has(move.action.action));
  return deeds.length === 0 || !seen ? null : `${fingerprintOf(seen)}\n${JSON.stringify(deeds)}`;
}

const patient: ReadonlySet<Action['action']> = new Set(['wait', 'waitFor', 'back']);

/** Why an answer cannot be the one that is wanted. */
function misfitOf(move: Move, { outputs }: Goal): string | null {
  if (move.kind !== 'done' || outputs === null) return null;
  const [first] = checkValue(outputs, move.claim.answer);
  return first ? `The answer does not fit: ${first.pointer || 'the whole'} ${first.detail}` : null;
}

/** Asks a person before the next move, where it needs one. */
function guarded(state: State): State {
  const [move] = state.queue;
  if (move?.kind !== 'act' || !state.seen || state.allowed) return state;
  const found = guardOf(move.action, state.seen, goalLimits(state));
  return found ? confirm(state, found) : state;
}

function confirm(state: State, found: Guarded): State {
  const told = noted(state, 'guarded', `A person has to allow it: ${found.what} (${found.kind})`);
  return { ...told, phase: { kind: 'asking', question: { kind: 'confirm', guarded: found } } };
}

/** What the agent may do by itself now. */
export const goalLimits = ({ goal, home, trusted }: State): GoalLimits => ({ ...goal.limits, home, trusted });

function acted(state: State, { error, origin }: Extract<Happening, { kind: 'acted' }>): State {
  const [move, ...rest] = state.queue;
  if (move?.kind !== 'act') return state;
  const title = titleOf(move.action, state.seen);
  if (error?.code === 'ACTION_GUARDED') return confirm(state, typingElsewhere(origin ?? null));
  const now: State = {
    ...did(state, error ? `${title}: ${error.message}` : title),
    actions: state.actions + 1,
    allowed: false,
    phase: { kind: 'look' },
  };
  if (error) return failed(now, 'problem', `${title} did not work: ${error.message}`);
  const ended = state.seen !== null && endsTurn(move.action, state.seen);
  return ended ? leftOut({ ...now, queue: rest }, 'what comes after it has to be seen first') : { ...now, queue: rest };
}

/** What is left of the turn is not done. */
function leftOut(state: State, why: string): State {
  const left = state.queue.filter((move) => move.kind === 'act').length;
  const now = { ...state, queue: [] };
  return left === 0
    ? now
    : noted(now, 'changed', `${left} more ${left === 1 ? 'action was' : 'actions were'} not done: ${why}`);
}

function checked(state: State, { verdict }: Extract<Happening, { kind: 'checked' }>): State {
  const claim = claimOf(state);
  if (!claim) return state;
  const early = state.phase.kind === 'check' && state.phase.early;
  const looking: State = { ...state, queue: [], phase: { kind: 'look' } };
  switch (verdict.result) {
    case 'met':
      return {
        ...noted(looking, 'verified', `Checked by the ${verdict.by}`),
        phase: { kind: 'done', answer: answerOf(claim.answer) },
      };
    case 'undecided':
      return { ...state, phase: { kind: 'doubt', claim, detail: verdict.detail } };
    case 'not-met':
      return early
        ? { ...state, phase: { kind: 'choose' } }
        : failed(looking, 'unverified', `It does not count as done: ${verdict.detail}`);
    default:
      return assertNever(verdict);
  }
}

const claimOf = ({ phase, queue }: State) => {
  if (phase.kind === 'check' || phase.kind === 'doubt') return phase.claim;
  const [move] = queue;
  return move?.kind === 'done' ? move.claim : undefined;
};

const answerOf = (answer: Json): Json => (answer === '' ? null : answer);

function answered(state: State, { choice, text, by }: Extract<Happening, { kind: 'answered' }>): State {
  const question = state.phase.kind === 'asking' ? state.phase.question : null;
  const asked = state.asked + 1;
  const said = text === null ? '' : `: ${text}`;
  if (choice === 'fail') return { ...state, asked, phase: { kind: 'failed', reason: `${by} ended it${said}` } };
  if (question?.kind !== 'confirm') {
    const note = choice === 'continue' ? `A person answered${said || ': go on'}` : `A person does not answer${said}`;
    return { ...noted(state, 'answer', note), asked, queue: [], failures: 0, loops: 0, phase: { kind: 'look' } };
  }
  const { guarded: found } = question;
  if (choice === 'decline') {
    const note = `A person does not allow it (${found.what})${said}. Do something else, or fail`;
    return { ...noted(state, 'decision', note), asked, queue: [], phase: { kind: 'look' } };
  }
  const trusted = found.origin ? new Set([...state.trusted, found.origin]) : state.trusted;
  return {
    ...noted(state, 'decision', `A person allows it (${found.what})${said}`),
    asked,
    trusted,
    allowed: true,
    phase: { kind: 'choose' },
  };
}

/** Something did not work: more is shown after three times, and after three more a person is asked. */
function failed(state: State, what: NoteKind, note: string | null): State {
  const failures = state.failures + 1;
  const told = note === null ? state : noted(state, what, note);
  const now: State = { ...told, failures, queue: [], phase: { kind: 'look' } };
  if (failures < STRIKES && state.loops < STRIKES) return now;
  if (state.level === 'view' && state.loops < STRIKES) return { ...now, level: 'page', failures: 0 };
  const question = `The agent is stuck. ${note ?? lastNote(now)}`;
  return { ...noted(now, 'stuck', question), phase: { kind: 'asking', question: { kind: 'words', question } } };
}

const noted = (state: State, what: NoteKind, note: string): State => ({
  ...state,
  notes: [...state.notes, { what, turn: state.turn, note }],
});

function did(state: State, line: string): State {
  const last = state.turns.at(-1);
  return last ? { ...state, turns: [...state.turns.slice(0, -1), { ...last, did: [...last.did, line] }] } : state;
}

function lastNote({ notes }: State): string {
  const last = notes.at(-1);
  return last ? `: ${last.note}` : '';
}

function reasonOf(question: Question, { queue, seen }: State): string {
  if (question.kind === 'words') return question.question;
  const [move] = queue;
  const action = move?.kind === 'act' ? ` (${titleOf(move.action, seen)})` : '';
  return `The agent wants to ${question.guarded.what}${action} on ${seen?.url ?? 'no page'}`;
}

/** An action for people, its element by what it is called on the page. */
export function titleOf(action: Action, seen: Observation | null): string {
  return actionSummary(action).replace(/\belement (\d+)\b/g, (whole, index: string) => {
    const element = seen?.elements.find((one) => one.index === Number(index));
    return element ? `[${index}] ${elementInWords(element)}` : whole;
  });
}

/** A move in a line. */
export function moveTitle(move: Move, seen: Observation | null): string {
  switch (move.kind) {
    case 'act':
      return titleOf(move.action, seen);
    case 'read':
      return 'Read the whole page';
    case 'done':
      return 'Say that the goal is met';
    case 'fail':
      return `Give up: ${move.reason}`;
    case 'ask':
      return `Ask: ${move.question}`;
    default:
      return assertNever(move);
  }
}
