import {
  MAX_THOUGHT,
  PilothouseError,
  toPilothouseError,
  type Action,
  type ElementView,
  type ErrorCode,
  type Locator,
  type ModelAnswer,
  type ModelRequest,
  type Observation,
} from '@pilothouse/contract';
import {
  identifyCanvasRequest,
  elementsAtPoint,
  HEAL_PICTURE_PROMPT,
  HEAL_PROMPT,
  healPictureRequest,
  healRequest,
  isInOpaqueRegion,
  plannedActionTitle,
  stepRef,
  parseAnswer,
  parseCanvasTarget,
  ellipsize,
  stepTitle,
  type CanvasTarget,
  type PlannedAction,
  type ModelScreenshot,
  type Spot,
} from '@pilothouse/core';
import { observeStablePage } from '../agent/page-observer.ts';
import { ModelClient, isVisionUnavailable } from '../agent/model-client.ts';
import { takeDetailPicture, takePagePicture } from '../agent/page-pictures.ts';
import type { HealParts } from './healing-scope.ts';

/** Milliseconds for one model call, and for the page to become stable before it. */
const MODEL_MS = 60_000;
const STILL_MS = 100;

/** Maximum model calls for one step: with the list, and again with screenshots. */
const TURNS = 5;

/** Errors of a missing or failing model. The step then fails with its own error. */
const without: ReadonlySet<ErrorCode> = new Set([
  'MODEL_NOT_CONFIGURED',
  'MODEL_UNAVAILABLE',
  'MODEL_REFUSED',
  'MODEL_INVALID',
  'BUDGET_EXCEEDED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'PAYLOAD_TOO_LARGE',
  'PROTOCOL_INVALID',
]);

/** Choice of a model, and the page that it saw. */
export interface ModelChoice {
  /** Element index, or a point for a target outside the list. */
  readonly target: Locator;
  readonly element: ElementView | null;
  /** Description by the model; null: none. */
  readonly what: string | null;
  readonly seen: Observation;
}

/** Page data in a request. */
interface Shown {
  readonly seen: Observation;
  /** Null: only the element list. */
  readonly picture: ModelScreenshot | null;
}

/** Step and description of its lost element. */
interface Lost {
  readonly old: readonly Locator[];
  readonly recorded: readonly Locator[];
}

/** Asks models for the element of a step. A model can only choose an element, scroll, or give up. */
export class ModelElementFinder {
  private readonly parts: HealParts;
  private readonly models: ModelClient;
  private turn = 0;

  constructor(parts: HealParts) {
    this.parts = parts;
    const { clock } = parts.act;
    this.models = new ModelClient({
      ...parts,
      position: parts.place,
      scope: parts.act,
      deadline: () => clock.monotonic() + MODEL_MS,
    });
  }

  /**
   * Lets a model choose the element.
   * @param by element list or screenshot
   * @param scroll scrolls for the model and observes again
   * @returns a sentence if there is no such element
   */
  async choose(
    by: 'text' | 'picture',
    lost: Lost,
    scroll: (action: Action) => Promise<Observation>,
  ): Promise<ModelChoice | string> {
    const { act, maskSecrets } = this.parts;
    // The page goes to a model and may show a secret.
    await maskSecrets();
    let seen = await observeStablePage('view', STILL_MS, act);
    if (seen.scroll.above > 0) seen = await scroll({ action: 'scroll', to: 'top' });
    let problem: string | null = null;
    for (let left = TURNS; left > 0; left -= 1) {
      this.turn += 1;
      const shown = await this.shown(seen, by);
      seen = shown.seen;
      const answer = await this.answer(this.request(lost, shown, problem), by);
      if (typeof answer === 'string') return answer;
      const { secrets } = this.parts.assignment;
      const { thought, moves, problems } = parseAnswer(answer, {
        focused: seen.focused,
        image: shown.picture,
        secrets,
      });
      this.tell(by, thought, moves, seen);
      const [move] = moves;
      const chosen = move && chosenBy(move, shown);
      if (chosen) return chosen;
      if (move?.kind === 'fail') return `${named(by)} does not find it: ${move.reason}`;
      if (move?.kind === 'act' && move.action.action === 'scroll') {
        seen = await scroll(move.action);
        problem = null;
      } else problem = problems[0] ?? howTo[by];
    }
    return `${named(by)} did not find it in ${TURNS} turns`;
  }

  /** Asks a model without other context for the target at a point of a canvas; null: unknown. */
  async identifyCanvasTarget(spot: Spot): Promise<CanvasTarget | null> {
    const { act, masker } = this.parts;
    const detail = await takeDetailPicture(spot, { ...act, masker });
    for (const role of ['verify', 'vision'] as const) {
      const answer = await this.refused(() => this.models.completeWithImages(identifyCanvasRequest(role, detail)));
      if (answer instanceof PilothouseError) return null;
      if (!isVisionUnavailable(answer)) return typeof answer === 'string' ? null : parseCanvasTarget(answer.text);
    }
    return null;
  }

  private async shown(seen: Observation, by: 'text' | 'picture'): Promise<Shown> {
    if (by === 'text') return { seen, picture: null };
    const { act, masker } = this.parts;
    const { observation, picture } = await takePagePicture({ ...act, masker });
    return { seen: observation, picture };
  }

  private request(lost: Lost, { seen, picture }: Shown, problem: string | null): ModelRequest {
    const { place, workflow, mark } = this.parts;
    // Templates stay unrendered. The model does not need the typed text.
    const { step } = place;
    const does = stepTitle({ ...step, title: undefined });
    const about = { ...lost, workflow, title: stepTitle(step), does, problem };
    return picture ? healPictureRequest(about, seen, picture, mark) : healRequest(about, seen, mark);
  }

  /** @returns a sentence if no model answers, or the answer is unusable */
  private async answer(request: ModelRequest, by: 'text' | 'picture'): Promise<ModelAnswer | string> {
    const answer = await this.refused(() => this.models.complete(request));
    if (!(answer instanceof PilothouseError)) return answer;
    if (answer.code !== 'MODEL_NOT_CONFIGURED') return answer.message;
    return by === 'text' ? 'no model is configured' : 'no model sees pictures';
  }

  /** Converts errors of missing or failing models. @throws any other error */
  private async refused<Value>(ask: () => Promise<Value>): Promise<Value | PilothouseError> {
    try {
      return await ask();
    } catch (thrown) {
      this.parts.act.signal.throwIfAborted();
      const error = toPilothouseError(thrown);
      if (!without.has(error.code)) throw thrown;
      return error;
    }
  }

  private tell(by: 'text' | 'picture', said: string, moves: readonly PlannedAction[], seen: Observation): void {
    const { events, place } = this.parts;
    const titles = moves.map((move) => plannedActionTitle(move, seen));
    const thought = ellipsize(said, MAX_THOUGHT);
    events.add('agent.turn', thought || titles.join('; ') || 'The model wants nothing', {
      ...stepRef(place),
      id: place.step.id ?? null,
      turn: this.turn,
      thought,
      plannedActions: titles,
      prompt: by === 'text' ? HEAL_PROMPT : HEAL_PICTURE_PROMPT,
      tier: by === 'text' ? 'text' : 'vision',
      page: { url: seen.url, title: seen.title },
    });
  }
}

const howTo = {
  text: 'Call click with the index of an element that is listed',
  picture: 'Call act with action click, and the number of a mark or a place',
} as const;

const named = (by: 'text' | 'picture') => (by === 'text' ? 'the model' : 'the model that sees');

/**
 * Target of an action of the model, whatever the action is: text dialects have no function to choose an element. A point counts only with a
 * screenshot. It becomes the listed element at that point, except on a canvas.
 */
function chosenBy(move: PlannedAction, { seen, picture }: Shown): ModelChoice | undefined {
  if (move.kind !== 'act' || move.action.action === 'scroll' || !('target' in move.action)) return undefined;
  const { target } = move.action;
  if (target === undefined || Array.isArray(target)) return undefined;
  const what = move.what ?? null;
  const { point: at } = target;
  const element = at ? elementAtPlace(at, seen) : seen.elements.find((one) => one.index === target.elementIndex);
  if (at && !picture) return undefined;
  if (element) return { target: { elementIndex: element.index }, element, what, seen };
  return at && { target: { point: at }, element: null, what, seen };
}

function elementAtPlace(at: Spot, seen: Observation): ElementView | undefined {
  const [top] = elementsAtPoint(at, seen);
  return top?.name === '' && isInOpaqueRegion(at, seen) ? undefined : top;
}
