import { MAX_THOUGHT } from '@pilothouse/contract/events/agent.events';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeRecord, ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { AgentCommand, AgentInput } from '@pilothouse/core/agent/agent-protocol';
import type { AgentState } from '@pilothouse/core/agent/agent-state';
import { pointerAfter } from '@pilothouse/core/agent/dialects/native/native-results';
import { parseAnswer } from '@pilothouse/core/agent/dialects/read-answer';
import { focusOf } from '@pilothouse/core/agent/tools/action-arguments';
import { canVerifyTurnByScreenshot } from '@pilothouse/core/agent/escalation-tiers';
import type { GoalVerdict } from '@pilothouse/core/agent/goal-verification';
import { plannedActionTitle, turnExpectation, type CanvasTarget } from '@pilothouse/core/agent/planned-action';
import { actVisionRequest } from '@pilothouse/core/agent/prompts/act-vision.prompt';
import {
  screenshotQuestionRequest as askScreenshotRequest,
  describeScreenshotRequest,
} from '@pilothouse/core/agent/prompts/describe-screenshot.prompt';
import { identifyCanvasRequest, parseCanvasTarget } from '@pilothouse/core/agent/prompts/identify-canvas-target.prompt';
import { ACT_TEXT_PROMPT, actTextRequest } from '@pilothouse/core/agent/prompts/prompt-sections';
import { promptForSurface } from '@pilothouse/core/agent/prompts/prompt-surface';
import { parseReplan, replanRequest } from '@pilothouse/core/agent/prompts/replan.prompt';
import { parseVerdict, verifyGoalRequest, verifyTurnRequest } from '@pilothouse/core/agent/prompts/verify.prompt';
import type { ViewportPoint } from '@pilothouse/core/observation/annotated-screenshot';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import { isVisionUnavailable, type ModelClient, isRejected, type RejectedAnswer } from '../agent/model-client.ts';
import { observeStablePage, observeWithRetry, STABLE_MS } from '../../observation/page-observer.ts';
import {
  PreActionScreenshot,
  captureDetail,
  capturePage,
  type PageScreenshot,
} from '../../observation/page-screenshots.ts';
import { needsPreActionScreenshot } from './action-executor.ts';
import type { CachedActions } from './action-cache.ts';
import { streamThinking, type AgentEventEmitter } from './agent-events.ts';
import type { AgentContext } from './agent-context.ts';

/** Milliseconds of a model call after which the page may have changed, for example by an overlay. */
const LATE_ANSWER_MS = 1_000;

type CommandOf<Kind extends AgentCommand['kind']> = Extract<AgentCommand, { kind: Kind }>;

/** Model calls of one goal: the next turn, verdicts, plans and questions about screenshots. */
export class GoalModels {
  /** True once a model was asked whether the goal is met. */
  hasVerifiedClaim = false;
  private readonly context: AgentContext;
  private readonly models: ModelClient;
  private readonly emitter: AgentEventEmitter;
  private readonly beforeGoal: PreActionScreenshot;
  /** The page before the turn, if a model may have to verify the turn. */
  private beforeTurn: PreActionScreenshot | null = null;
  /** False once the verifying model is known to take no images. */
  private canVerifierUseImages = true;

  constructor(context: AgentContext, models: ModelClient, emitter: AgentEventEmitter, beforeGoal: PreActionScreenshot) {
    this.context = context;
    this.models = models;
    this.emitter = emitter;
    this.beforeGoal = beforeGoal;
  }

  async think({ tier }: CommandOf<'think'>, state: AgentState): Promise<AgentInput> {
    const { actionCache, scope } = this.context;
    const { current } = state.page;
    const cached = tier === 'text' && current ? await actionCache.lookup(current) : null;
    if (cached === 'wait')
      return { kind: 'observed', observation: await observeStablePage(state.escalation.depth, STABLE_MS, scope) };
    return cached ? this.useCachedActions(cached, state) : this.requestTurn(tier, state);
  }

  private useCachedActions({ actions: cached, replacedCall }: CachedActions, state: AgentState): AgentInput {
    const titles = cached.map((action) => plannedActionTitle(action, state.page.current));
    const expects = turnExpectation(cached);
    const prompt = promptForSurface(state.goal.surface, ACT_TEXT_PROMPT);
    this.context.turns?.onCachedActions(cached, prompt, state);
    this.emitter.emitThought(
      state,
      { prompt, tier: 'replay', thought: '', titles, expects, replacedCall },
      `Cached for this page: ${titles.join('; ')}`,
    );
    return { kind: 'modelAnswered', answer: { thought: '', actions: cached, problems: [] }, isCached: true };
  }

  private async requestTurn(tier: 'text' | 'vision', state: AgentState): Promise<AgentInput> {
    const { promptBoundary, actionCache, scope, assignment, turns } = this.context;
    const { current } = state.page;
    const request = tier === 'vision' ? actVisionRequest(state, promptBoundary) : actTextRequest(state, promptBoundary);
    this.startScreenshots(tier, state);
    const onText = streamThinking(state.counters.turns + 1, this.context);
    const startedAt = scope.clock.monotonic();
    const answer = await (tier === 'vision'
      ? this.models.completeWithImages(request, onText)
      : this.models.complete(request, onText));
    if (isVisionUnavailable(answer)) return { kind: 'visionUnavailable', reason: answer.reason };
    if (isRejected(answer)) {
      const { problem, isUnreadable } = answer;
      this.emitter.emitThought(state, { prompt: request.prompt, tier, thought: '', titles: [] }, problem);
      const parsed = { thought: '', actions: [], problems: [problem] };
      turns?.onAnswer({ request, tier, answer: null, parsed }, state);
      return { kind: 'modelFailed', reason: problem, isUnreadable };
    }
    const parsed = this.parse(answer, tier, state, assignment.secrets);
    this.emitAnswer(parsed, request, tier, state);
    turns?.onAnswer({ request, tier, answer, parsed }, state);
    const isLate = scope.clock.monotonic() - startedAt >= LATE_ANSWER_MS;
    if (tier === 'text' && current) actionCache.recordAnswer(current, parsed, answer);
    else actionCache.disable();
    return { kind: 'modelAnswered', answer: parsed, isLate };
  }

  /** Starts the screenshots that a later verification or the record of the turn may need. */
  private startScreenshots(tier: 'text' | 'vision', state: AgentState): void {
    const { current } = state.page;
    const first = needsPreActionScreenshot(state) ? this.beforeGoal : null;
    first?.start(current);
    const isNeeded = tier === 'text' && canVerifyTurnByScreenshot(state.escalation);
    this.beforeTurn = isNeeded ? new PreActionScreenshot(this.screenshotContext()) : null;
    this.beforeTurn?.start(current);
    if (tier === 'text') this.context.turns?.startScreenshot(current, this.beforeTurn ?? first);
  }

  private parse(answer: ModelAnswer, tier: 'text' | 'vision', state: AgentState, secrets: readonly string[]) {
    const { page, goal, history } = state;
    const image = tier === 'vision' ? (page.screenshots.at(-1)?.screenshot ?? null) : null;
    const pointer = pointerAfter(history.turns.at(-1)?.native);
    const focus = focusOf(page.current);
    const roleOf = (index: number) => page.current?.elements.find((element) => element.index === index)?.role;
    const { tabs } = page.current ?? {};
    const currentTab = tabs?.findIndex(({ isCurrent }) => isCurrent) ?? -1;
    const tabState = tabs && { tabCount: tabs.length, ...(currentTab >= 0 && { currentTab }) };
    return parseAnswer(answer, { surface: goal.surface, ...focus, image, pointer, roleOf, ...tabState, secrets });
  }

  private emitAnswer(
    parsed: ReturnType<typeof parseAnswer>,
    { prompt }: ModelRequest,
    tier: 'text' | 'vision',
    state: AgentState,
  ): void {
    const { actions: moves, subGoals, native } = parsed;
    const titles = moves.map((action) => plannedActionTitle(action, state.page.current));
    const thought = ellipsize(parsed.thought, MAX_THOUGHT);
    const message = thought || titles.join('; ') || 'The model chose no action';
    const expects = turnExpectation(moves);
    const storable = native && isStorable(native, this.context.masker) ? native : undefined;
    this.emitter.emitThought(state, { prompt, tier, thought, titles, expects, subGoals, native: storable }, message);
  }

  /** Waits for the screenshot from before the turn, because its first action is about to change the page. */
  async finishTurnScreenshot({ page }: AgentState): Promise<void> {
    await this.beforeTurn?.finish(page.current).catch(() => {
      // The turn continues without the screenshot.
      this.context.scope.signal.throwIfAborted();
      this.beforeTurn = null;
    });
  }

  async verifyTurn({ detail }: CommandOf<'verifyTurn'>, state: AgentState): Promise<GoalVerdict> {
    const previousScreenshot = this.canVerifierUseImages ? await this.beforeTurn?.render() : null;
    if (!previousScreenshot) return { result: 'undecided', detail };
    const { screenshot: currentScreenshot } = await this.captureScreenshot();
    const answer = await this.models.completeWithImages(
      verifyTurnRequest(
        state,
        detail,
        { initial: previousScreenshot, current: currentScreenshot },
        this.context.promptBoundary,
      ),
      this.stream(state, 'verdict'),
    );
    if (!isVisionUnavailable(answer))
      return isRejected(answer) ? { result: 'undecided', detail } : parseVerdict(answer.text);
    this.canVerifierUseImages = false;
    return { result: 'undecided', detail };
  }

  /** Verifies a claim with screenshots if a model takes them, otherwise with the text of the page. */
  async verifyClaim({ claim, detail }: CommandOf<'verifyClaim'>, state: AgentState): Promise<GoalVerdict> {
    const { promptBoundary, scope } = this.context;
    this.hasVerifiedClaim = true;
    if (state.escalation.visionAvailable && this.canVerifierUseImages) {
      const { observation, screenshot } = await this.captureScreenshot();
      const frames = { initial: await this.beforeGoal.render(), current: screenshot };
      const answer = await this.models.completeWithImages(
        verifyGoalRequest(state, claim, detail, observation, promptBoundary, frames),
        this.stream(state, 'verdict'),
      );
      if (!isVisionUnavailable(answer)) return toVerdict(answer);
      this.canVerifierUseImages = false;
    }
    const page = await observeWithRetry('page', scope);
    const request = verifyGoalRequest(state, claim, detail, page, promptBoundary);
    return toVerdict(await this.models.complete(request, this.stream(state, 'verdict')));
  }

  async describeScreenshot({ question }: CommandOf<'describeScreenshot'>): Promise<AgentInput> {
    const { observation, screenshot } = await this.captureScreenshot();
    const { promptBoundary, surface } = this.context;
    const answer = await this.models.completeWithImages(
      question === null
        ? describeScreenshotRequest(observation, screenshot, promptBoundary, surface)
        : askScreenshotRequest(question, observation, screenshot, promptBoundary, surface),
    );
    if (isVisionUnavailable(answer)) return { kind: 'visionUnavailable', reason: answer.reason };
    const text = isRejected(answer) ? answer.problem : answer.text.trim() || 'No description';
    const description = ellipsize(question === null ? text : `${question} → ${text}`, MAX_THOUGHT);
    return { kind: 'screenshotDescribed', description };
  }

  /** Asks the verifying model, or else the vision model, to describe a point. The model does not receive the goal. */
  async identifyCanvas(point: ViewportPoint): Promise<CanvasTarget | null> {
    const detail = await captureDetail(point, this.screenshotContext());
    for (const role of this.canVerifierUseImages ? (['verify', 'vision'] as const) : (['vision'] as const)) {
      const answer = await this.models.completeWithImages(identifyCanvasRequest(role, detail, this.context.surface));
      if (!isVisionUnavailable(answer)) return isRejected(answer) ? null : parseCanvasTarget(answer.text);
      if (role === 'verify') this.canVerifierUseImages = false;
    }
    return null;
  }

  async replan({ reason }: CommandOf<'replan'>, state: AgentState): Promise<AgentInput> {
    const request = replanRequest(state, reason, this.context.promptBoundary);
    const answer = await this.models.complete(request, this.stream(state, 'plan'), true);
    const replan = parseReplan(isRejected(answer) ? '' : answer.text);
    const titles = [replan.decision, ...(replan.plan === '' ? [] : [replan.plan])];
    this.emitter.emitThought(
      state,
      { prompt: request.prompt, tier: 'replan', thought: replan.why, titles },
      `${replan.decision}: ${replan.why}`,
    );
    return { kind: 'replanned', replan };
  }

  /** @param regions parts to enlarge */
  captureScreenshot(regions: readonly ScreenRegion[] = []): Promise<PageScreenshot> {
    return capturePage(this.screenshotContext(), regions);
  }

  private screenshotContext() {
    const { scope, masker } = this.context;
    return { ...scope, masker };
  }

  /** Streams what a model writes about the last turn. */
  private stream({ counters }: AgentState, subject: 'plan' | 'verdict') {
    return streamThinking(Math.max(1, counters.turns), this.context, subject);
  }
}

/** Maximum size of a stored turn with a computer tool, in characters of JSON. */
const MAX_STORED_TURN_CHARS = 60_000;

/** A turn goes back to its provider unchanged, so one that masking would change is not stored. A later attempt starts without it. */
function isStorable(native: NativeRecord, masker: AgentContext['masker']): boolean {
  const json = JSON.stringify(native);
  return json.length <= MAX_STORED_TURN_CHARS && JSON.stringify(masker.json(JSON.parse(json) as Json)) === json;
}

const toVerdict = (answer: ModelAnswer | RejectedAnswer): GoalVerdict =>
  isRejected(answer) ? { result: 'not-met', detail: answer.problem } : parseVerdict(answer.text);
