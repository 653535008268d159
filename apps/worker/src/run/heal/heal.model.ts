import {
  MAX_THOUGHT,
  toPilothouseError,
  type Action,
  type ElementView,
  type ErrorCode,
  type Json,
  type Locator,
  type ModelAnswer,
  type ModelRequest,
  type Observation,
} from '@pilothouse/contract';
import {
  HEAL_PROMPT,
  healRequest,
  moveTitle,
  placed,
  readAnswer,
  shortened,
  stepTitle,
  type Move,
} from '@pilothouse/core';
import { see } from '../goal/goal.look.ts';
import type { HealParts } from './heal.parts.ts';

/** Milliseconds that a model is waited for, and for a page to stand still before it is shown. */
const MODEL_MS = 60_000;
const STILL_MS = 100;

/** Most calls for one step. */
const TURNS = 5;

/** What there is no model for, or none that answers: the step fails as it would have without. */
const without: ReadonlySet<ErrorCode> = new Set([
  'MODEL_NOT_CONFIGURED',
  'MODEL_UNAVAILABLE',
  'MODEL_REFUSED',
  'MODEL_INVALID',
  'BUDGET_EXCEEDED',
  'UNAVAILABLE',
  'PAYLOAD_TOO_LARGE',
]);

/** The element that a model means, and the page on which it saw it. */
export interface Chosen {
  readonly element: ElementView;
  readonly seen: Observation;
}

/** Asks a model which element a step means. All it can do is to choose one, to scroll, or to give up. */
export class HealModel {
  private readonly lost: { old: readonly Locator[]; recorded: readonly Locator[] };
  private readonly parts: HealParts;
  private turn = 0;

  constructor(lost: { old: readonly Locator[]; recorded: readonly Locator[] }, parts: HealParts) {
    this.lost = lost;
    this.parts = parts;
  }

  /**
   * @param scroll carries out what the model wants to see, and looks again
   * @returns a sentence where there is no such element
   */
  async choose(scroll: (action: Action) => Promise<Observation>): Promise<Chosen | string> {
    const { act, maskSecrets } = this.parts;
    // A site may show a secret, and what it shows goes to a model.
    await maskSecrets();
    let seen = await see('view', STILL_MS, act);
    if (seen.scroll.above > 0) seen = await scroll({ action: 'scroll', to: 'top' });
    let problem: string | null = null;
    while (this.turn < TURNS) {
      this.turn += 1;
      const answer = await this.model(this.request(seen, problem));
      if (typeof answer === 'string') return answer;
      const { thought, moves, problems } = readAnswer(answer, { focused: seen.focused, image: null });
      this.tell(thought, moves, seen);
      const [move] = moves;
      const element = move && chosenBy(move, seen);
      if (element) return { element, seen };
      if (move?.kind === 'fail') return `the model does not find it: ${move.reason}`;
      if (move?.kind === 'act' && move.action.action === 'scroll') {
        seen = await scroll(move.action);
        problem = null;
      } else problem = problems[0] ?? 'Call click with the index of an element that is listed';
    }
    return `the model did not find it in ${TURNS} turns`;
  }

  private request(seen: Observation, problem: string | null): ModelRequest {
    const { place, workflow, mark } = this.parts;
    // As it is written: what the step types is no matter of the model.
    const { step } = place;
    return healRequest(
      { ...this.lost, workflow, title: stepTitle(step), does: stepTitle({ ...step, title: undefined }), problem },
      seen,
      mark,
    );
  }

  private async model(request: ModelRequest): Promise<ModelAnswer | string> {
    const { link, masker, place, act } = this.parts;
    const masked = masker.json(request as unknown as Json) as unknown as ModelRequest;
    const deadline = act.clock.monotonic() + MODEL_MS;
    try {
      return await link.model(place.number, masked, { signal: act.halt, deadline });
    } catch (thrown) {
      act.halt.throwIfAborted();
      const error = toPilothouseError(thrown);
      if (!without.has(error.code)) throw thrown;
      return error.code === 'MODEL_NOT_CONFIGURED' ? 'no model is configured' : error.message;
    }
  }

  private tell(said: string, moves: readonly Move[], seen: Observation): void {
    const { reporter, place } = this.parts;
    const titles = moves.map((move) => moveTitle(move, seen));
    const thought = shortened(said, MAX_THOUGHT);
    reporter.add('agent.thought', thought || titles.join('; ') || 'The model wants nothing', {
      ...placed(place),
      id: place.step.id ?? null,
      turn: this.turn,
      thought,
      moves: titles,
      prompt: HEAL_PROMPT,
      page: { url: seen.url, title: seen.title },
    });
  }
}

/** The element that a move names by its number, whatever it wants to do to it: models that write actions as text have words of their own. */
function chosenBy(move: Move, seen: Observation): ElementView | undefined {
  if (move.kind !== 'act' || move.action.action === 'scroll' || !('target' in move.action)) return undefined;
  const target = move.action.target;
  const index = target === undefined || Array.isArray(target) ? undefined : target.element;
  return index === undefined ? undefined : seen.elements.find((one) => one.index === index);
}
