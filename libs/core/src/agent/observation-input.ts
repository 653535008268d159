import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { printsDiffer, type ModelScreenshot } from '../observation/annotated-screenshot.ts';
import { uriOriginIdOf } from '../origin/uri-origin.ts';
import { type AgentInput } from './agent-protocol.ts';
import { isNativeAction, withoutIdentification, type PlannedAction } from './planned-action.ts';
import {
  finishedTurn,
  originsFrom,
  turnOf,
  type AgentPhase,
  type AgentState,
  type OverlayCheck,
  type Origins,
  type TurnInProgress,
} from './agent-state.ts';
import { isSameHost } from './approval/allowed-origins.ts';
import { startNextAction } from './approval/approval.ts';
import { creditTurn, escalateToVision, recordFailure, resetEscalation } from './escalation.ts';
import { isFullPageCheckDue } from './escalation-tiers.ts';
import { knownTextsAfter, readsWholeText } from './known-text.ts';
import { evidenceTextOf, missingTexts } from './observed-text.ts';
import { filledIndexes } from './entered-values.ts';
import { noteDroppedActions } from './model-turn.ts';
import { dismissOverlayFirst, isTargetUnchanged } from './overlays.ts';
import { actionPoint, fingerprintOf, isCanvasOnly, listChanged, pointToElement } from './page-queries.ts';
import { verifyTurn } from './turn-verification.ts';

/* A new observation: the turn continues, is verified, or makes room for the next one. */

/** Page texts that the state keeps. An answer may come from an earlier page. */
const MAX_SEEN_TEXTS = 50;

/** Screenshots that the state keeps. */
const MAX_SCREENSHOTS = 3;

interface ResumedTurn {
  readonly state: AgentState;
  readonly turn: TurnInProgress;
}

export function applyObservation(state: AgentState, input: Extract<AgentInput, { kind: 'observed' }>): AgentState {
  const { observation } = input;
  const screenshot = input.screenshot ?? null;
  const turn = observedTurn(state.phase);
  const updated = withObservation(state, observation, screenshot, input.zooms);
  return turn
    ? continueTurn(updated, withoutIdentifications(turn), state.page.current, screenshot !== null)
    : afterUnexpectedObservation(updated);
}

/** The turn that an observation continues; null: the phase waits for something else. */
function observedTurn(phase: AgentPhase): TurnInProgress | null {
  switch (phase.kind) {
    case 'observing':
      return phase.turn ?? turnOf([]);
    case 'waiting':
      return finishedTurn({ ...phase.expectation, hasWaited: true });
    case 'thinking':
      return turnOf([]);
    default:
      return null;
  }
}

/** An observation that no phase asked for only replaces the page. */
const afterUnexpectedObservation = (state: AgentState): AgentState => {
  const { phase } = state;
  return phase.kind === 'acting' || phase.kind === 'awaitingApproval'
    ? { ...state, phase: { ...phase, turn: withoutIdentifications(phase.turn) } }
    : state;
};

/** Drops identifications of targets, because they refer to an older page. */
const withoutIdentifications = (turn: TurnInProgress): TurnInProgress => ({
  ...turn,
  actions: turn.actions.map(withoutIdentification),
});

function withObservation(
  state: AgentState,
  observation: Observation,
  screenshot: ModelScreenshot | null,
  zooms?: readonly ModelScreenshot[],
): AgentState {
  const { page, counters, escalation, history } = state;
  const isChanged =
    page.current === null ||
    fingerprintOf(page.current) !== fingerprintOf(observation) ||
    isScreenshotChanged(screenshot, state);
  const seenText = evidenceTextOf(observation, filledIndexes(history.enteredValues, observation));
  const newFrames = screenshot ? [{ screenshot, ...(zooms && { zooms }), turn: counters.turns }] : [];
  return {
    ...state,
    origins: originsAfter(state.origins, uriOriginIdOf(observation.url)),
    page: {
      ...page,
      // Some observations read the text of the whole page only for the known text.
      current:
        readsWholeText(state) && escalation.depth !== 'page' && !hasTextCall(state)
          ? withoutText(observation)
          : observation,
      ...knownTextsAfter(state, observation),
      seenTexts:
        page.seenTexts.at(-1) === seenText ? page.seenTexts : [...page.seenTexts, seenText].slice(-MAX_SEEN_TEXTS),
      unchanged: !isChanged,
      screenshots: [...page.screenshots, ...newFrames].slice(-MAX_SCREENSHOTS),
    },
  };
}

const withoutText = ({ text: _text, ...page }: Observation): Observation => page;

/** True if a call of a computer tool reads the text of the page. */
const hasTextCall = ({ history }: AgentState): boolean =>
  history.turns.at(-1)?.native?.record.plans.some(({ answer }) => answer === 'text') === true;

/** The first origin is the start, unless the goal has applications: then another window may be in front of them. */
function originsAfter(origins: Origins, origin: string | null): Origins {
  const { start, trusted, apps } = origins;
  if (origin === null || apps.length > 0) return origins;
  if (start === null) return { ...origins, ...originsFrom(origin) };
  return isSameHost(start, origin) && !trusted.has(origin)
    ? { ...origins, trusted: new Set([...trusted, origin]) }
    : origins;
}

/** True if a screenshot differs from the one that the last turn was decided on. */
function isScreenshotChanged(screenshot: ModelScreenshot | null, { page, counters }: AgentState): boolean {
  const lastFrame = page.screenshots.at(-1);
  return (
    screenshot !== null &&
    lastFrame?.turn === counters.turns - 1 &&
    printsDiffer(lastFrame.screenshot.print, screenshot.print)
  );
}

function continueTurn(
  updated: AgentState,
  turn: TurnInProgress,
  previousPage: Observation | null,
  hasScreenshot: boolean,
): AgentState {
  const page = updated.page.current;
  if (!page) return updated;
  const [next] = turn.actions;
  const isProgress = !updated.page.unchanged && previousPage !== null && turn.hasActed && !hasExpectation(turn);
  const state = isProgress ? resetEscalation(updated) : updated;
  if (next?.kind === 'act' && actionPoint(next.action)) {
    // The point comes from an older screenshot: the current element there counts.
    const action = pointToElement(next.action, page);
    return startNextAction(state, { ...turn, overlay: null, actions: [{ ...next, action }, ...turn.actions.slice(1)] });
  }
  const resumed = resumeTurn(state, turn, previousPage, page);
  if (resumed.turn.actions.length > 0) return startNextAction(resumed.state, resumed.turn);
  const finished = endTurn(resumed.state, turn, page);
  if (finished.phase.kind !== 'thinking') return finished;
  if (finished.escalation.tier === 'vision' && !next && turn.hasActed && finished.page.unchanged)
    return recordFailure(finished, 'problem', 'Nothing visible changed');
  return escalateIfNeeded(checkGoalTexts(finished), hasScreenshot);
}

const hasExpectation = ({ expectation, actions }: TurnInProgress): boolean =>
  expectation !== null || actions.some((planned) => planned.kind === 'act' && planned.expects !== undefined);

/** The rest of a turn, on the page as it is now. */
function resumeTurn(
  state: AgentState,
  turn: TurnInProgress,
  previousPage: Observation | null,
  page: Observation,
): ResumedTurn {
  const [next] = turn.actions;
  const finished = { ...turn, actions: [], overlay: null };
  // The model has to see the result of its request.
  if (next?.kind === 'read') return { state, turn: finished };
  if (next?.kind === 'see') return { state: withRequestedScreenshot(state), turn: finished };
  // Keys go to the focus, and points were judged on the new page already.
  if (isNativeAction(next) && !namesElement(next)) return { state, turn };
  if (turn.overlay) return resumeAfterOverlay(state, turn, turn.overlay, page);
  if (next?.kind !== 'act' || !previousPage || !listChanged(previousPage, page)) return { state, turn };
  return (
    dismissOverlayFirst(state, turn, { observation: previousPage, closedIndexes: [] }) ?? {
      state: creditTurn(noteDroppedActions(state, turn, 'the list changed'), turn.hasActed),
      turn: finished,
    }
  );
}

/** The next model call has a screenshot, because the model asked for it. */
const withRequestedScreenshot = (state: AgentState): AgentState =>
  state.escalation.tier === 'vision' && state.history.turns.at(-1)?.native
    ? state
    : escalateToVision(state, 'the model asked for it');

const namesElement = (planned: PlannedAction | undefined): boolean =>
  planned?.kind === 'act' &&
  'target' in planned.action &&
  planned.action.target !== undefined &&
  toLocatorChain(planned.action.target).some(({ elementIndex }) => elementIndex !== undefined);

function resumeAfterOverlay(
  state: AgentState,
  turn: TurnInProgress,
  overlay: OverlayCheck,
  page: Observation,
): ResumedTurn {
  const actions = [...overlay.interrupted, ...turn.actions];
  const remainingTurn = { ...turn, overlay: null };
  const [next] = actions;
  if (!next) return { state, turn: remainingTurn };
  const isInterrupted = overlay.interrupted.length > 0;
  if (!isInterrupted && isTargetUnchanged(next, overlay.observation, page)) return { state, turn: remainingTurn };
  const overlayTurn = dismissOverlayFirst(state, { ...remainingTurn, actions }, overlay);
  if (overlayTurn) return overlayTurn;
  // The failure of an interrupted turn is noted already.
  if (isInterrupted) return { state, turn: remainingTurn };
  const withDropped = noteDroppedActions(state, turn, 'the next target is no longer listed');
  return { state: creditTurn(withDropped, turn.hasActed), turn: { ...remainingTurn, actions: [] } };
}

/** Verifies a turn without remaining actions. */
function endTurn(state: AgentState, { expectation }: TurnInProgress, page: Observation): AgentState {
  if (!expectation) return { ...state, phase: { kind: 'thinking' } };
  // The text of the whole page was only for the verification, unless the escalation asks for it.
  const current = state.escalation.depth === 'page' ? page : withoutText(page);
  return verifyTurn({ ...state, page: { ...state.page, current } }, expectation, page);
}

/** Checks a rejected claim again, or takes a screenshot, before the next model call. */
export function escalateIfNeeded(state: AgentState, hasScreenshot: boolean): AgentState {
  const { phase, page, escalation, lastRejectedClaim } = state;
  if (phase.kind !== 'thinking' || !page.current) return state;
  if (isFullPageCheckDue(escalation) && lastRejectedClaim)
    return {
      ...state,
      lastRejectedClaim: null,
      phase: { kind: 'checkingClaim', claim: lastRejectedClaim, isEarly: true },
    };
  if (isFullPageCheckDue(escalation) && page.unchanged && escalation.visionAvailable)
    return escalateToVision(state, 'it was tried twice, and the page shows no effect');
  if (escalation.tier === 'vision' || !escalation.visionAvailable || !isCanvasOnly(page.current)) return state;
  return hasScreenshot
    ? { ...state, escalation: { ...escalation, tier: 'vision' } }
    : escalateToVision(state, 'the list has no input elements');
}

/** Checks the goal without a model call if the page shows all of its texts. */
function checkGoalTexts(state: AgentState): AgentState {
  const { goal, page } = state;
  const showsGoalTexts =
    page.current &&
    goal.texts.length > 0 &&
    goal.outputSchema === null &&
    missingTexts(goal.texts, page.current).length === 0;
  return showsGoalTexts
    ? {
        ...state,
        phase: { kind: 'checkingClaim', claim: { answer: null, anchor: null, indicators: [] }, isEarly: true },
      }
    : state;
}
