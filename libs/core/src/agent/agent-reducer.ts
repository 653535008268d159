import { assertNever, type Action, type Json, type Observation } from '@pilothouse/contract';
import { printsDiffer, type ModelScreenshot } from '../observation/annotated-screenshot.ts';
import { applyAnswer, askHuman, lastNoteText } from './next-command.ts';
import { requiredDialogApproval, isSameHost, secretToOtherOrigin } from './approval/approval-policy.ts';
import { enteredAfter } from './entered-values.ts';
import { startWaiting, applyTurnVerdict, afterAnchorWait, verifyTurn } from './turn-verification.ts';
import {
  visionUnavailable,
  escalateToVision,
  creditTurn,
  recordFailure,
  isFullPageCheckDue,
  resetEscalation,
  withNote,
  applyReplan,
} from './escalation.ts';
import { higherTier } from '../model/request-images.ts';
import { type PlannedAction, plannedActionTitle } from './agent-protocol.ts';
import { dismissOverlayFirst, isTargetUnchanged } from './overlays.ts';
import {
  endsTurn,
  fingerprintOf,
  isCanvasOnly,
  listChanged,
  pointToElement,
  webOrigin,
  actionPoint,
  isTextEntry,
} from './page-queries.ts';
import { requestApproval, applyCanvasTarget, gateNextAction } from './approval/approval.ts';
import { secretNamesIn } from '../secret/secret-placeholders.ts';
import type { AgentCommand, AgentGoal, AgentInput, OverlayCheck, AgentState } from './agent-goal.ts';
import { startTurn, appendActionResult, dropRemainingActions, applyModelAnswer } from './model-turn.ts';
import { missingTexts } from './goal-verification.ts';

/*
 * The agent: state + what happened → state, state → what is done next. It waits for nothing, reads no clock and draws no lots.
 */

/** Pictures that are kept. */
const FRAMES = 3;

/**
 * Where the agent begins.
 * @param told what it is told from before; null: nothing
 * @param opened address that the workflow opened last; null: none, then the goal's home is the first page that it opens or sees
 */
export const initialAgentState = (
  goal: AgentGoal,
  told: string | null = null,
  opened: string | null = null,
): AgentState => ({
  goal,
  phase: { kind: 'look' },
  turn: 0,
  level: 'view',
  tier: 'text',
  highest: 'replay',
  sees: true,
  frames: [],
  visions: 0,
  plans: 0,
  plan: null,
  worked: false,
  claimed: null,
  seen: null,
  earlier: [],
  expects: null,
  subGoals: null,
  still: false,
  queue: [],
  over: null,
  allowed: null,
  granted: null,
  actions: 0,
  turns: [],
  notes: told === null ? [] : [{ kind: 'answer', turn: 0, note: told }],
  failures: 0,
  loops: 0,
  tried: new Set(),
  ...homeAt(webOrigin(opened ?? '')),
  secretDocuments: new Set(),
  entered: [],
  asked: 0,
});

/** Where the goal is at home: secrets may be typed there. @param origin null: not known yet */
const homeAt = (origin: string | null): Pick<AgentState, 'home' | 'trusted'> => ({
  home: origin,
  trusted: new Set(origin === null ? [] : [origin]),
});

/** What is known of the home of the goal once a page was seen. */
function homeOf({ home, trusted }: AgentState, origin: string | null): Partial<Pick<AgentState, 'home' | 'trusted'>> {
  if (origin === null) return {};
  if (home === null) return homeAt(origin);
  return isSameHost(home, origin) && !trusted.has(origin) ? { trusted: new Set([...trusted, origin]) } : {};
}

/** What the agent does next. */
export function nextCommand(state: AgentState): AgentCommand {
  const { phase, queue, goal } = state;
  switch (phase.kind) {
    case 'look':
      // In the middle of a turn the list tells whether it goes on.
      return { kind: 'look', level: state.tier === 'vision' && queue.length === 0 ? 'picture' : levelOf(state) };
    case 'await':
      return { kind: 'look', level: phase.level, ...(state.expects && { until: state.expects }) };
    case 'judge':
      return { ...phase, expects: state.expects ?? { anchor: null, indicators: [] } };
    case 'plan':
    case 'check':
    case 'doubt':
    case 'examine':
    case 'done':
      return phase;
    case 'failed':
      return { kind: 'fail', reason: phase.reason };
    case 'asking':
      return askHuman(phase.question, state);
    case 'choose': {
      const [move] = queue;
      if (move) return carryOut(move, state);
      if (state.turn >= goal.maxTurns)
        return {
          kind: 'fail',
          reason: `It took ${state.turn} turns, and may take no more (\`maxTurns\`)${lastNoteText(state)}`,
        };
      return { kind: 'think', tier: state.tier };
    }
    default:
      return assertNever(phase);
  }
}

/** Where the place of a turn was waited for in vain, the text of the whole page says what else of it is so. */
const levelOf = ({ expects, level }: AgentState) => (expects?.waited && expects.indicators.length > 0 ? 'page' : level);

function carryOut(move: PlannedAction, state: AgentState): AgentCommand {
  switch (move.kind) {
    case 'read':
      return { kind: 'look', level: 'page' };
    case 'see':
      return { kind: 'look', level: 'picture' };
    case 'analyse':
      return { kind: 'analyse', question: move.question };
    case 'act':
      return { kind: 'act', action: move.action, n: state.actions + 1, title: plannedActionTitle(move, state.seen) };
    case 'store':
    case 'replan':
      throw new Error(`${move.kind} is done as soon as it is wanted`);
    case 'done':
      return { kind: 'check', claim: move.claim, early: false };
    case 'fail':
      return { kind: 'fail', reason: move.reason };
    case 'ask':
      return askHuman({ kind: 'words', question: `The agent asks: ${move.question}` }, state);
    default:
      return assertNever(move);
  }
}

/** Where the agent is after something happened. */
export function reduce(state: AgentState, happening: AgentInput): AgentState {
  switch (happening.kind) {
    case 'seen':
      return saw(state, happening.observation, happening.picture ?? null);
    case 'thought':
      return {
        ...applyModelAnswer(state, happening.reading, happening.late),
        ...(happening.remembered && { highest: state.highest }),
      };
    case 'no-thought':
      return recordFailure(startTurn(state, ''), 'problem', happening.why);
    case 'blind':
      return visionUnavailable(state, happening.why);
    case 'analysed':
      return { ...withNote(state, 'screenshot_described', happening.answer), queue: [], phase: { kind: 'look' } };
    case 'planned':
      return applyReplan({ ...state, highest: higherTier(state.highest, 'replan') }, happening.replan);
    case 'examined':
      return applyCanvasTarget(state, happening.drawn);
    case 'acted':
      return acted(state, happening);
    case 'placed':
      return afterAnchorWait(state, happening.where);
    case 'judged':
      return applyTurnVerdict(state, happening.verdict);
    case 'checked':
      return checked(state, happening);
    case 'answered':
      return applyAnswer(state, happening);
    default:
      return assertNever(happening);
  }
}

function saw(state: AgentState, observation: Observation, picture: ModelScreenshot | null): AgentState {
  const before = state.seen;
  const moved = before === null || fingerprintOf(before) !== fingerprintOf(observation) || isOther(picture, state);
  const origin = webOrigin(observation.url);
  const [next] = state.queue;
  let now: AgentState = {
    ...state,
    phase: { kind: 'choose' },
    seen: observation,
    still: !moved,
    over: null,
    ...(picture && { frames: [...state.frames, { picture, turn: state.turn }].slice(-FRAMES) }),
    ...homeOf(state, origin),
  };
  if (moved && before && state.worked && !isOwed(state)) now = resetEscalation(now);
  if (next?.kind === 'act' && actionPoint(next.action)) {
    // The picture is as old as the thought about it: what lies there now counts.
    return gateNextAction({
      ...now,
      queue: [{ ...next, action: pointToElement(next.action, observation) }, ...now.queue.slice(1)],
    });
  }
  // What was read is for the model to see: nothing else of the turn is done.
  if (next?.kind === 'read') now = { ...now, queue: [] };
  else if (next?.kind === 'see')
    now = { ...escalateToVision(now, 'the model asked for it'), queue: [], phase: now.phase };
  else if (state.over) now = uncovered(now, state.over);
  else if (next?.kind === 'act' && before && listChanged(before, observation))
    now =
      dismissOverlayFirst(now, now.queue, { before, closed: [] }) ??
      creditTurn(dropRemainingActions(now, 'the list changed'));
  if (now.queue.length > 0) return gateNextAction(now);
  if (state.expects) now = foreseen(now, observation, state);
  if (now.phase.kind !== 'choose') return now;
  if (now.tier === 'vision' && !next && state.worked && !moved)
    return recordFailure(now, 'problem', 'It changed nothing that can be seen');
  return climbed(maybeMet(now), picture !== null);
}

/** The turn as it goes on, once it was looked whether something came to lie over the page, or whether what did is gone. */
function uncovered(state: AgentState, over: OverlayCheck): AgentState {
  const moves = [...over.left, ...state.queue];
  const [next] = moves;
  if (!next || !state.seen) return state;
  if (over.left.length === 0 && isTargetUnchanged(next, over.before, state.seen)) return state;
  const closing = dismissOverlayFirst(state, moves, over);
  if (closing) return closing;
  // What was in the way was told already.
  return over.left.length > 0
    ? state
    : creditTurn(dropRemainingActions(state, 'what comes next is not in the list any more'));
}

/** Whether what the turn is to lead to is still to be seen: until then nobody says that it led on. */
const isOwed = ({ expects, queue }: AgentState): boolean =>
  expects !== null || queue.some((move) => move.kind === 'act' && move.expects !== undefined);

/** What the page says of what the turn was to lead to. The text of the whole page was for that alone, where it is not asked for besides. */
function foreseen(state: AgentState, observation: Observation, { phase, expects, level }: AgentState): AgentState {
  const waited = phase.kind === 'await' || expects?.waited === true;
  const { text: _text, ...view } = observation;
  return verifyTurn(
    {
      ...state,
      expects: expects && { ...expects, waited },
      seen: level === 'page' ? observation : view,
    },
    observation,
  );
}

/** Whether a picture shows something else than the one that the last turn was thought about. */
function isOther(picture: ModelScreenshot | null, { frames, turn }: AgentState): boolean {
  const last = frames.at(-1);
  return picture !== null && last?.turn === turn - 1 && printsDiffer(last.picture.print, picture.print);
}

/** What the page as it was just seen asks for, before anybody thinks. */
function climbed(state: AgentState, hasPicture: boolean): AgentState {
  const { phase, seen, claimed } = state;
  if (phase.kind !== 'choose' || !seen) return state;
  if (isFullPageCheckDue(state) && claimed)
    return { ...state, claimed: null, phase: { kind: 'check', claim: claimed, early: true } };
  if (isFullPageCheckDue(state) && state.still && state.sees)
    return escalateToVision(state, 'it was tried twice, and the page says that nothing came of it');
  if (state.tier === 'vision' || !state.sees || !isCanvasOnly(seen)) return state;
  return hasPicture ? { ...state, tier: 'vision' } : escalateToVision(state, 'the list has nothing that takes input');
}

/** A goal that the page shows to be met costs no call. */
function maybeMet(state: AgentState): AgentState {
  const { goal, seen } = state;
  if (!seen || goal.texts.length === 0 || goal.outputSchema !== null || missingTexts(goal.texts, seen).length > 0)
    return state;
  return { ...state, phase: { kind: 'check', claim: { answer: null, anchor: null, indicators: [] }, early: true } };
}

function acted(
  state: AgentState,
  { error, where, origin, dialog }: Extract<AgentInput, { kind: 'acted' }>,
): AgentState {
  const [move, ...rest] = state.queue;
  if (move?.kind !== 'act') return state;
  const title = plannedActionTitle(move, state.seen);
  if (error?.code === 'APPROVAL_REQUIRED')
    return dialog ? beforeAccepting(state, dialog) : requestApproval(state, secretToOtherOrigin(origin ?? null));
  const now: AgentState = {
    ...appendActionResult(state, error ? `${title}: ${error.message}` : title),
    actions: state.actions + 1,
    allowed: null,
    phase: { kind: 'look' },
    ...afterInput(state, move.action, error === null),
  };
  if (error) {
    const told = recordFailure(creditTurn(now), 'problem', `${title} did not work: ${error.message}`);
    const isCovered = error.code === 'TARGET_NOT_ACTIONABLE' && told.tier === 'text' && told.phase.kind === 'look';
    return isCovered && state.seen ? { ...told, over: { before: state.seen, left: state.queue, closed: [] } } : told;
  }
  const ended = state.seen !== null && endsTurn(move.action, state.seen) && state.tier === 'text';
  const entered = enteredAfter(state.entered, move.action, state.seen);
  const on: AgentState = { ...now, queue: rest, worked: true, entered };
  if (rest.length === 0 && move.expects && state.tier === 'text') return startWaiting(on, move.expects, where ?? null);
  return ended ? dropRemainingActions(on, 'what comes after it has to be seen first') : on;
}

/** What an action says of the home of the goal, and of where its secrets are. A secret that was not typed to its end may stand there, too. */
function afterInput(
  { home, seen, secretDocuments, goal }: AgentState,
  action: Action,
  isDone: boolean,
): Partial<Pick<AgentState, 'home' | 'trusted' | 'secretDocuments'>> {
  if (action.action === 'navigate' && home === null && isDone) return homeAt(webOrigin(action.url));
  const isSecret = isTextEntry(action) && secretNamesIn(action.text, goal.limits.secrets).length > 0;
  return isSecret && seen ? { secretDocuments: new Set([...secretDocuments, seen.document]) } : {};
}

/** A dialog was declined because of what it asks. Where a person allows it, the next one is accepted, and what opens it is done again. */
function beforeAccepting(
  state: AgentState,
  { question, text }: NonNullable<Extract<AgentInput, { kind: 'acted' }>['dialog']>,
): AgentState {
  const found = requiredDialogApproval(question, state.goal.limits);
  if (!found) return recordFailure(state, 'problem', `The dialog “${question}” was declined`);
  const accept: PlannedAction = {
    kind: 'act',
    action: { action: 'handleDialog', accept: true, ...(text !== null && { text }) },
  };
  const [move, ...rest] = state.queue;
  const isGranted = move?.kind === 'act' && state.granted?.action === move.action;
  // What a person allowed is done again, and its dialog accepted; a dialog that asks something else is asked apart.
  const again: PlannedAction[] =
    move?.kind === 'act' && isGranted ? [{ ...move, allowed: true }, ...rest] : [...state.queue];
  const now: AgentState = { ...state, allowed: null, queue: [accept, ...again] };
  if (!isGranted || state.granted?.kind !== found.kind) return requestApproval(now, found);
  const told = withNote(now, 'approval_decision', `It confirms what a person allowed: ${found.what}`);
  return { ...told, granted: null, queue: [{ ...accept, allowed: true }, ...again], phase: { kind: 'choose' } };
}

function checked(state: AgentState, { verdict }: Extract<AgentInput, { kind: 'checked' }>): AgentState {
  const claim = claimOf(state);
  if (!claim) return state;
  const early = state.phase.kind === 'check' && state.phase.early;
  const looking: AgentState = { ...state, queue: [], phase: { kind: 'look' } };
  switch (verdict.result) {
    case 'met':
      return {
        ...withNote(looking, 'verified', `Checked by the ${verdict.by}`),
        phase: { kind: 'done', answer: answerOf(claim.answer) },
      };
    case 'undecided':
      return early
        ? climbed({ ...state, phase: { kind: 'choose' } }, false)
        : { ...state, phase: { kind: 'doubt', claim, detail: verdict.detail } };
    case 'not-met':
      return early
        ? climbed({ ...state, phase: { kind: 'choose' } }, false)
        : recordFailure({ ...looking, claimed: claim }, 'unverified', `It does not count as done: ${verdict.detail}`);
    default:
      return assertNever(verdict);
  }
}

const claimOf = ({ phase, queue }: AgentState) => {
  if (phase.kind === 'check' || phase.kind === 'doubt') return phase.claim;
  const [move] = queue;
  return move?.kind === 'done' ? move.claim : undefined;
};

const answerOf = (answer: Json): Json => (answer === '' ? null : answer);

/** Most things that a person did by hand which an agent is told of: the last ones. */
const MOST_DEEDS = 20;

/** A person had the wheel: whatever was seen, the page may be another. @param deeds what they did, in words, in order */
export const afterManualControl = (state: AgentState, by: string, deeds: readonly string[]): AgentState => ({
  ...withNote(state, 'page_changed', `${by} drove by hand, and ${didBy(deeds)}. The page may be another`),
  queue: [],
  expects: null,
  loops: 0,
  // What was allowed was the action that is left out now.
  allowed: null,
  phase: { kind: 'look' },
});

function didBy(deeds: readonly string[]): string {
  if (deeds.length === 0) return 'did nothing';
  const earlier = deeds.length - MOST_DEEDS;
  return `did this: ${earlier > 0 ? `${earlier} things more; ` : ''}${deeds.slice(-MOST_DEEDS).join('; ')}`;
}
