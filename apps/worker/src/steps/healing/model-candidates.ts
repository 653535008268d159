import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_THOUGHT } from '@pilothouse/contract/events/agent.events';
import { MAX_MODEL_TIMEOUT_MS, type ModelAnswer, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { parseAnswer } from '@pilothouse/core/agent/dialects/read-answer';
import { focusOf } from '@pilothouse/core/agent/tools/action-arguments';
import { isInOpaqueRegion } from '@pilothouse/core/agent/healing/lost-element';
import { elementsAtPoint } from '@pilothouse/core/agent/page-queries';
import { plannedActionTitle, type CanvasTarget, type PlannedAction } from '@pilothouse/core/agent/planned-action';
import {
  HEAL_VISION_PROMPT,
  HEAL_PROMPT,
  healVisionRequest,
  healRequest,
} from '@pilothouse/core/agent/prompts/heal.prompt';
import { identifyCanvasRequest, parseCanvasTarget } from '@pilothouse/core/agent/prompts/identify-canvas-target.prompt';
import { promptForSurface } from '@pilothouse/core/agent/prompts/prompt-surface';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import type { ModelScreenshot, ViewportPoint } from '@pilothouse/core/observation/annotated-screenshot';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { observeStablePage } from '../../observation/page-observer.ts';
import { ModelClient, isRejected, isVisionUnavailable } from '../agent/model-client.ts';
import { captureDetail, capturePage } from '../../observation/page-screenshots.ts';
import type { HealingContext } from './healing-scope.ts';

/** Milliseconds for the page to become stable before a model call. */
const STABLE_MS = 100;

/** Maximum model calls for one step: with the list, and again with screenshots. */
const MAX_TURNS = 5;

/** Errors of a missing or failing model. The step then fails with its own error. */
const modelErrors: ReadonlySet<ErrorCode> = new Set([
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
  readonly description: string | null;
  readonly page: Observation;
}

/** Page data in a request. */
interface PageView {
  readonly page: Observation;
  /** Null: only the element list. */
  readonly screenshot: ModelScreenshot | null;
}

/** Step and description of its lost element. */
interface LostElement {
  readonly originalLocators: readonly Locator[];
  readonly recordedLocators: readonly Locator[];
}

/** Asks models for the element of a step. A model can only choose an element, scroll, or give up. */
export class ModelElementFinder {
  private readonly context: HealingContext;
  /** Calls that choose the element. */
  private readonly models: ModelClient;
  /** Calls that identify the target of an approval, which may follow the answer of a person. */
  private readonly identification: ModelClient;
  private turn = 0;

  constructor(context: HealingContext) {
    this.context = context;
    const { clock } = context.scope;
    const deadline = clock.monotonic() + context.modelMs;
    this.models = new ModelClient({ ...context, deadline: () => deadline });
    this.identification = new ModelClient({ ...context, deadline: () => clock.monotonic() + MAX_MODEL_TIMEOUT_MS });
  }

  /**
   * Lets a model choose the element.
   * @param method element list or screenshot
   * @param scroll scrolls for the model and observes again
   * @returns a sentence if there is no such element
   */
  async choose(
    method: 'text' | 'screenshot',
    lost: LostElement,
    scroll: (action: Action) => Promise<Observation>,
  ): Promise<ModelChoice | string> {
    const { scope, maskSecrets } = this.context;
    // The page goes to a model and may show a secret.
    await maskSecrets();
    let page = await observeStablePage('view', STABLE_MS, scope);
    if (page.scroll.above > 0) page = await scroll({ action: 'scroll', to: 'top' });
    let problem: string | null = null;
    for (let remaining = MAX_TURNS; remaining > 0; remaining -= 1) {
      this.turn += 1;
      const view = await this.readPage(page, method);
      page = view.page;
      const answer = await this.answer(this.request(lost, view, problem), method);
      if (typeof answer === 'string') return answer;
      const { secrets } = this.context.assignment;
      const {
        thought,
        actions: moves,
        problems,
      } = parseAnswer(answer, {
        surface: this.context.surface,
        ...focusOf(page),
        image: view.screenshot,
        secrets,
      });
      this.emitTurn(method, thought, moves, page);
      const [move] = moves;
      const choice = move && toChoice(move, view);
      if (choice) return choice;
      if (move?.kind === 'fail') return `${modelName(method)} did not find it: ${move.reason}`;
      if (move?.kind === 'act' && move.action.action === 'scroll') {
        page = await scroll(move.action);
        problem = null;
      } else problem = problems[0] ?? retryHint[method];
    }
    return `${modelName(method)} did not find it in ${MAX_TURNS} turns`;
  }

  /** Asks a model without other context for the target at a point of a canvas; null: unknown. */
  async identifyCanvasTarget(spot: ViewportPoint): Promise<CanvasTarget | null> {
    const { scope, masker } = this.context;
    const detail = await captureDetail(spot, { ...scope, masker });
    for (const role of ['verify', 'vision'] as const) {
      const answer = await this.catchModelErrors(() =>
        this.identification.completeWithImages(identifyCanvasRequest(role, detail, this.context.surface)),
      );
      if (answer instanceof PilothouseError) return null;
      if (!isVisionUnavailable(answer)) return isRejected(answer) ? null : parseCanvasTarget(answer.text);
    }
    return null;
  }

  private async readPage(page: Observation, method: 'text' | 'screenshot'): Promise<PageView> {
    if (method === 'text') return { page, screenshot: null };
    const { scope, masker } = this.context;
    const { observation, screenshot } = await capturePage({ ...scope, masker });
    return { page: observation, screenshot };
  }

  private request(lost: LostElement, { page, screenshot }: PageView, problem: string | null): ModelRequest {
    const { position, workflow, promptBoundary, surface } = this.context;
    // Templates stay unrendered. The model does not need the typed text.
    const { step } = position;
    const does = stepTitle({ ...step, title: undefined });
    const { originalLocators: old, recordedLocators: recorded } = lost;
    const goal = { surface, old, recorded, workflow, title: stepTitle(step), does, problem };
    return screenshot
      ? healVisionRequest(goal, page, screenshot, promptBoundary)
      : healRequest(goal, page, promptBoundary);
  }

  /** @returns a sentence if no model answers, or the answer is unusable */
  private async answer(request: ModelRequest, method: 'text' | 'screenshot'): Promise<ModelAnswer | string> {
    const answer = await this.catchModelErrors(() => this.models.complete(request));
    if (!(answer instanceof PilothouseError)) return isRejected(answer) ? answer.problem : answer;
    if (answer.code !== 'MODEL_NOT_CONFIGURED') return answer.message;
    return method === 'text' ? 'no model is configured' : 'no vision model is configured';
  }

  /** Converts errors of missing or failing models. @throws any other error */
  private async catchModelErrors<Value>(call: () => Promise<Value>): Promise<Value | PilothouseError> {
    try {
      return await call();
    } catch (thrown) {
      this.context.scope.signal.throwIfAborted();
      const error = toPilothouseError(thrown);
      if (!modelErrors.has(error.code)) throw thrown;
      return error;
    }
  }

  private emitTurn(
    method: 'text' | 'screenshot',
    fullThought: string,
    moves: readonly PlannedAction[],
    page: Observation,
  ): void {
    const { events, position } = this.context;
    const titles = moves.map((move) => plannedActionTitle(move, page));
    const thought = ellipsize(fullThought, MAX_THOUGHT);
    events.add('agent.turn', thought || titles.join('; ') || 'The model chose no action', {
      ...stepRef(position),
      id: position.step.id ?? null,
      turn: this.turn,
      thought,
      plannedActions: titles,
      prompt: promptForSurface(this.context.surface, method === 'text' ? HEAL_PROMPT : HEAL_VISION_PROMPT),
      tier: method === 'text' ? 'text' : 'vision',
      page: { url: page.url, title: page.title },
    });
  }
}

const retryHint = {
  text: 'Call click with the index of a listed element',
  screenshot: 'Call act with action click and a mark number or x and y',
} as const;

const modelName = (method: 'text' | 'screenshot') => (method === 'text' ? 'the model' : 'the vision model');

/**
 * Target of an action of the model, whatever the action is: text dialects have no function to choose an element. A point counts only with a
 * screenshot. It becomes the listed element at that point, except on a canvas.
 */
function toChoice(move: PlannedAction, { page, screenshot }: PageView): ModelChoice | undefined {
  if (move.kind !== 'act' || move.action.action === 'scroll' || !('target' in move.action)) return undefined;
  const { target } = move.action;
  if (target === undefined || Array.isArray(target)) return undefined;
  const what = move.what ?? null;
  const { point } = target;
  const element = point
    ? elementAtPoint(point, page)
    : page.elements.find((candidate) => candidate.index === target.elementIndex);
  if (point && !screenshot) return undefined;
  if (element) return { target: { elementIndex: element.index }, element, description: what, page };
  return point && { target: { point }, element: null, description: what, page };
}

function elementAtPoint(point: ViewportPoint, page: Observation): ElementView | undefined {
  const [top] = elementsAtPoint(point, page);
  return top?.name === '' && isInOpaqueRegion(point, page) ? undefined : top;
}
