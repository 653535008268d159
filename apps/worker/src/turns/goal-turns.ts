import type { ModelAnswer, ModelRequest, PromptRef } from '@pilothouse/contract/model/model.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { AgentInput } from '@pilothouse/core/agent/agent-protocol';
import type { AgentState } from '@pilothouse/core/agent/agent-state';
import type { ParsedAnswer, PlannedAction } from '@pilothouse/core/agent/planned-action';
import {
  requestText,
  type TurnDraft,
  type TurnDraftOutcome,
  type TurnOrigin,
} from '@pilothouse/core/learning/turn-draft';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import type { ActionScope } from '../actions/action-scope.ts';
import { PreActionScreenshot, type Capture, type ScreenshotScope } from '../observation/page-screenshots.ts';
import type { TurnImage } from './turn-files.ts';
import type { TurnGroup, TurnStore } from './turn-store.ts';

/** Milliseconds that the first action of a turn, or the end of the goal, waits for a screenshot that only the record needs. */
const SCREENSHOT_WAIT_MS = 1_000;

/** Output of a model call for the next turn. */
export interface RecordedAnswer {
  readonly request: ModelRequest;
  readonly tier: 'text' | 'vision';
  readonly answer: ModelAnswer | null;
  readonly parsed: ParsedAnswer;
}

interface OpenTurn extends Omit<TurnDraft, 'outcomes' | 'notes'> {
  readonly outcomes: TurnDraftOutcome[];
  readonly notes: { readonly kind: TurnDraft['notes'][number]['kind']; readonly note: string }[];
  /** Waits for and renders the screenshot. */
  image: () => Promise<TurnImage | null>;
}

const noImage = () => Promise.resolve(null);

/** Records the turns of one goal. */
export class GoalTurns {
  private readonly store: TurnStore;
  private readonly group: TurnGroup;
  private readonly scope: ScreenshotScope & Pick<ActionScope, 'clock' | 'timers'>;
  private current: OpenTurn | null = null;
  /** Screenshot for the next turn, taken while its model answers. */
  private capture: Promise<Capture> | null = null;
  /** Screenshot of the current turn that may not be taken yet. */
  private pendingCapture: Promise<Capture> | null = null;
  private actionStartedAtMs = 0;
  private isTakenOver = false;

  constructor(
    store: TurnStore,
    origin: Omit<TurnOrigin, 'run' | 'attempt' | 'surface'>,
    scope: ScreenshotScope & Pick<ActionScope, 'clock' | 'timers'>,
  ) {
    this.store = store;
    this.group = store.startGroup(origin);
    this.scope = scope;
  }

  /** Takes the screenshot of the next turn while the model answers. @param shared screenshot of this page that the agent takes; null: none */
  startScreenshot(page: Observation | null, shared: PreActionScreenshot | null): void {
    const screenshot = shared ?? new PreActionScreenshot(this.scope);
    screenshot.start(page);
    this.capture = screenshot.lastCapture ?? null;
  }

  /** Starts the record of a turn that a model decided. */
  onAnswer({ request, tier, answer, parsed }: RecordedAnswer, state: AgentState): void {
    const { capture } = this;
    this.capture = null;
    const screenshot = tier === 'vision' ? state.page.screenshots.at(-1)?.screenshot : undefined;
    const image = async (): Promise<TurnImage | null> => {
      if (screenshot) {
        const { data, width, height } = screenshot;
        return { body: Buffer.from(data, 'base64'), width, height, hasMarks: true };
      }
      return capture && { ...(await (await capture).renderPlain()), hasMarks: false };
    };
    this.open(state, parsed, {
      ...{ input: requestText(request), prompt: request.prompt, tier, source: 'model' as const, answer },
      image: screenshot || capture ? image : noImage,
    });
    if (!screenshot && capture) this.pendingCapture = capture;
  }

  /** Starts the record of a turn that repeats actions of an earlier run. It has no screenshot, which would delay the actions. */
  onCachedActions(actions: readonly PlannedAction[], prompt: PromptRef, state: AgentState): void {
    this.open(
      state,
      { thought: '', actions, problems: [] },
      { input: null, prompt, tier: 'replay', source: 'cache', answer: null, image: noImage },
    );
  }

  /** Called before each action. Waits for the screenshot of the turn, at most `SCREENSHOT_WAIT_MS`. */
  async beforeAction(): Promise<void> {
    await this.waitForScreenshot();
    this.actionStartedAtMs = this.scope.clock.monotonic();
  }

  private async waitForScreenshot(): Promise<void> {
    const { pendingCapture, current } = this;
    this.pendingCapture = null;
    if (!pendingCapture || !current || this.scope.signal.aborted) return;
    // It may show the page after the action.
    if (!(await settlesWithin(pendingCapture, SCREENSHOT_WAIT_MS, this.scope.timers))) current.image = noImage;
  }

  onTransition(previous: AgentState, next: AgentState, input: AgentInput): void {
    const { current } = this;
    if (!current) return;
    if (input.kind === 'acted' && next.counters.actions > previous.counters.actions) this.addOutcome(previous, input);
    if (input.kind === 'observed') {
      const last = current.outcomes.at(-1);
      if (last && !last.pageAfter)
        current.outcomes[current.outcomes.length - 1] = { ...last, pageAfter: input.observation };
    }
    for (const { kind, note } of next.history.notes.slice(previous.history.notes.length))
      current.notes.push({ kind, note });
  }

  /** A person had control during the goal, so its records are stored. */
  onManualControlEnded(): void {
    this.isTakenOver = true;
    this.close();
  }

  /**
   * Ends the goal. Waits for the screenshot of the last turn, at most `SCREENSHOT_WAIT_MS`, because the surface may close afterwards.
   * @param hasFailed false: the goal is met, or the attempt ended for another reason
   */
  async end(hasFailed: boolean): Promise<void> {
    await this.waitForScreenshot();
    this.close();
    this.store.endGroup(this.group, hasFailed || this.isTakenOver);
  }

  private open(
    { page: { current: page }, counters, goal }: AgentState,
    { thought, actions, problems }: ParsedAnswer,
    facts: Pick<OpenTurn, 'input' | 'prompt' | 'tier' | 'source' | 'answer' | 'image'>,
  ): void {
    this.close();
    if (!page) return;
    const position = this.store.startTurn(this.group.origin.step, counters.turns + 1);
    const rest = { goal: goal.text, page, thought, planned: actions, problems, outcomes: [], notes: [] };
    this.current = { ...position, ...rest, ...facts };
  }

  private close(): void {
    const { current } = this;
    this.current = null;
    this.pendingCapture = null;
    if (!current) return;
    const { image, ...draft } = current;
    this.store.add(this.group, draft, image);
  }

  private addOutcome(previous: AgentState, { error, anchors }: Extract<AgentInput, { kind: 'acted' }>): void {
    const { current } = this;
    const planned = previous.phase.kind === 'acting' ? previous.phase.turn.actions[0] : undefined;
    if (!current || planned?.kind !== 'act') return;
    const { action } = planned;
    current.outcomes.push({
      sequence: previous.counters.actions + 1,
      planned: this.plannedIndex(planned),
      action,
      error: error && { code: error.code, message: error.message },
      durationMs: Math.max(0, Math.round(this.scope.clock.monotonic() - this.actionStartedAtMs)),
      urlAfter: anchors?.url ?? null,
      titleAfter: anchors?.title ?? null,
      pageBefore: previous.page.current,
      pageAfter: null,
    });
  }

  /** Index of an executed action among the planned ones; null: the agent inserted it. A point may have become an element. */
  private plannedIndex({ action }: Extract<PlannedAction, { kind: 'act' }>): number | null {
    const { planned = [], outcomes = [] } = this.current ?? {};
    const isFree = (index: number) => !outcomes.some((outcome) => outcome.planned === index);
    const exact = planned.findIndex(
      (candidate, index) => isFree(index) && candidate.kind === 'act' && candidate.action === action,
    );
    if (exact >= 0) return exact;
    const next = planned.findIndex((candidate, index) => isFree(index) && candidate.kind === 'act');
    const candidate = planned[next];
    return candidate?.kind === 'act' &&
      candidate.action.action === action.action &&
      'point' in targetOf(candidate.action)
      ? next
      : null;
  }
}

const targetOf = (action: object): object =>
  'target' in action && typeof action.target === 'object' ? (action.target ?? {}) : {};
