import {
  assertNever,
  MAX_THOUGHT,
  PilothouseError,
  stepSeconds,
  type RunAnswer,
  type GoalStep,
  type Observation,
  type RunQuestion,
  type Tier,
} from '@pilothouse/contract';
import {
  ACT_TEXT_PROMPT,
  actTextRequest,
  asksForSuggestions,
  describeScreenshotRequest,
  decideGoal,
  identifyCanvasRequest,
  afterManualControl,
  turnExpectation,
  fileIdsIn,
  reduce,
  lostFrom,
  plannedActionTitle,
  REPLAN_PROMPT,
  replanRequest,
  askScreenshotRequest,
  parseAnswer,
  parseCanvasTarget,
  parseReplan,
  parseVerdict,
  verifyTurnRequest,
  canVerifyTurnByScreenshot,
  actVisionRequest,
  ellipsize,
  unusedIn,
  verifyGoalRequest,
  type AgentDecision,
  type AgentNote,
  type AgentState,
  type CanvasTarget,
  type GoalVerdict,
  type AgentInput,
  type Masker,
  type StepPosition,
  type PageText,
  type Spot,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionResult } from '../../actions/run-action.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import {
  EXPECT_TIMEOUT_MS,
  checkClaim,
  focusTab,
  keepFindableTexts,
  locateAnswer,
  waitForExpectation,
  waitForLocation,
} from './page-checks.ts';
import { prepareAgentState, type Beginning } from './initial-goal-state.ts';
import { ActionExecutor, needsPreActionScreenshot, type HandParts } from './action-executor.ts';
import { observeWithRetry, observeStablePage, STABLE_MS } from '../agent/page-observer.ts';
import type { ActionCache } from './action-cache.ts';
import { ModelClient, isVisionUnavailable } from '../agent/model-client.ts';
import {
  PreActionScreenshot,
  takeDetailPicture,
  takePagePicture,
  type PageWithPicture,
} from '../agent/page-pictures.ts';
import { agentQuestion } from '../../context/human-questions.ts';
import { AgentEventEmitter, type BranchRef, streamThinking } from './agent-events.ts';

/** Milliseconds for which a list that is about to offer something has to stay the same. */
const SUGGESTIONS_MS = 600;

/** Milliseconds after which a page that was looked at may be another: something may have come to lie over it. */
const LATE_MS = 1_000;

/** What an agent needs of its attempt. */
export interface AgentParts extends HandParts, Pick<Beginning, 'hosts' | 'opened'> {
  readonly place: StepPosition;
  /** Of a goal in a branch of the step at this place. */
  readonly branch?: BranchRef;
  readonly link: Pick<AttemptLink, 'callModel' | 'sendThinking'>;
  readonly events: Pick<EventBuffer, 'add' | 'flush' | 'maskError'>;
  readonly masker: Masker;
  readonly assignment: HandParts['assignment'] & Beginning['assignment'];
  /** Cannot be guessed by a page. */
  readonly mark: string;
  /** What the same step did on the same pages before. */
  readonly memory: ActionCache;
  ask(question: RunQuestion): Promise<RunAnswer>;
  /** It took a higher tier than before. */
  climbed(tier: Tier): void;
  /** What the run stops for because somebody took the wheel; null: nobody did. */
  wheel(): RunQuestion | null;
  /** What was done by hand at the last stop, in words. */
  handDeeds(): readonly string[];
  /** Masks all secrets of the run, wherever they stand. */
  maskSecrets(): Promise<void>;
}

/**
 * Carries out a step that is said in words: looks, asks a model, acts, checks.
 * @throws PilothouseError GOAL_FAILED, STEP_TIMED_OUT; MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED; as `act`
 */
export const runGoal = (step: GoalStep, parts: AgentParts): Promise<ActionResult> => new Agent(step, parts).run();

/** Before these a person may take the wheel. */
const isTurn = ({ kind }: AgentDecision) => kind === 'think' || kind === 'act';

class Agent {
  private readonly step: GoalStep;
  private readonly parts: AgentParts;
  private state: AgentState;
  /** A model was asked whether the goal is met. */
  private judged = false;
  private deadline: number;
  private readonly models: ModelClient;
  private readonly teller: AgentEventEmitter;
  private readonly hand: ActionExecutor;
  private readonly before: PreActionScreenshot;
  /** The page before the turn, where a model may be asked what came of it. */
  private beforeTurn: PreActionScreenshot | null = null;
  /** Monotonic milliseconds until which what the turn is to lead to is waited for. */
  private expectUntil = 0;
  /** Whether who checks sees pictures, as far as is known. */
  private checkerSees = true;
  /** A document whose loading screen did not go in time: it is not waited for again. */
  private busyDocument: number | null = null;
  /** Milliseconds for which the page has to stand still before it is shown to a model. */
  private stillMs = STABLE_MS;

  constructor(step: GoalStep, parts: AgentParts) {
    this.step = step;
    this.parts = parts;
    const { place, branch, act, masker, events } = parts;
    this.state = prepareAgentState(step, parts);
    this.teller = new AgentEventEmitter(place, events, this.state.notes.length, branch);
    this.before = new PreActionScreenshot({ ...act, masker });
    this.hand = new ActionExecutor(step, parts, this.teller, this.before);
    this.deadline = act.clock.monotonic() + stepSeconds(step) * 1000;
    this.models = new ModelClient({ ...parts, deadline: () => this.deadline, tooLate: () => this.tooLate() });
  }

  async run(): Promise<ActionResult> {
    const { act, maskSecrets } = this.parts;
    // A site may show a secret before it is typed, and what it shows goes to a model.
    await maskSecrets();
    await this.nameFiles();
    for (;;) {
      act.signal.throwIfAborted();
      act.assertCanAct();
      const decision = decideGoal(this.state);
      if (decision.kind === 'done') {
        const stands = await locateAnswer(decision.answer, act);
        if (stands) this.teller.emit('agent.answer_sources', 'Where the answer stands', stands, this.state.turn);
        await Promise.all([this.parts.events.flush(), this.parts.memory.commit()]);
        return {
          outcome: { located: null, value: decision.answer },
          deadline: this.deadline,
          tier: this.state.highest === 'replay' && this.judged ? 'text' : this.state.highest,
        };
      }
      if (decision.kind === 'fail') throw new PilothouseError('GOAL_FAILED', decision.reason);
      if (isTurn(decision) && (await this.gaveWay())) continue;
      if (act.clock.monotonic() > this.deadline) throw this.tooLate();
      const happening = await this.carryOut(decision);
      const before = this.state;
      this.state = reduce(before, happening);
      await this.keepFindable(before);
      if (this.state.highest !== before.highest) this.parts.climbed(this.state.highest);
      this.parts.memory.onTransition(before, this.state, happening);
      this.teller.emitNewNotes(this.state);
    }
  }

  /** What the files are that the goal names; of what is no file of the run nothing is known. */
  private async nameFiles(): Promise<void> {
    const { act } = this.parts;
    const { goal } = this.state;
    const asked = fileIdsIn(goal.text).map((id) => act.fileFacts(id).catch(() => null));
    const files = (await Promise.all(asked)).flatMap((one) => one ?? []);
    act.signal.throwIfAborted();
    this.state = { ...this.state, goal: { ...goal, files } };
  }

  private async carryOut(decision: Exclude<AgentDecision, { kind: 'done' | 'fail' }>): Promise<AgentInput> {
    const { act } = this.parts;
    switch (decision.kind) {
      case 'look': {
        const { level, until } = decision;
        if (level === 'anchors')
          return { kind: 'placed', where: await waitForLocation(until?.anchor ?? '', this.expectUntil, act) };
        if (until) return { kind: 'seen', observation: await waitForExpectation(until, this.expectUntil, act) };
        const stillMs = this.state.queue.length === 0 ? this.stillMs : 0;
        const take = needsPreActionScreenshot(this.state) ? (seen: Observation) => this.before.start(seen) : undefined;
        const isKnown = (seen: Observation) => seen.document === this.busyDocument;
        const observation = await observeStablePage(level === 'picture' ? 'view' : level, stillMs, act, take, isKnown);
        if (observation.busy) this.busyDocument = observation.document;
        return level === 'picture' ? { kind: 'seen', ...(await this.picture()) } : { kind: 'seen', observation };
      }
      case 'think':
        return this.think(decision.tier);
      case 'analyse':
        return this.analyse(decision.question);
      case 'plan':
        return this.plan(decision.why);
      case 'examine':
        return { kind: 'examined', drawn: await this.examine(decision.place) };
      case 'act':
        this.stillMs =
          this.state.seen && asksForSuggestions(decision.action, this.state.seen) ? SUGGESTIONS_MS : STABLE_MS;
        return this.act(decision);
      case 'check':
        return { kind: 'checked', verdict: await this.check(decision) };
      case 'judge':
        return { kind: 'judged', verdict: await this.turnVerdict(decision) };
      case 'doubt':
        return { kind: 'checked', verdict: await this.verdict(decision) };
      case 'ask':
        return this.ask(decision);
      default:
        return assertNever(decision);
    }
  }

  private async check({ claim, early }: Extract<AgentDecision, { kind: 'check' }>): Promise<GoalVerdict> {
    const { act } = this.parts;
    const isElsewhere = !early && claim.anchor !== null && (await focusTab(claim.anchor, act));
    if (isElsewhere)
      this.note('page_changed', `A tab in the background has “${claim.anchor}”: it was brought to front`);
    const { entered, goal } = this.state;
    const isAsked = entered.length > 0 || /["“„«]/.test(goal.text);
    const lost = (seen: PageText) => [...lostFrom(entered, seen), ...unusedIn(this.state, claim.answer, seen)];
    return checkClaim(claim, this.step, early, act, isAsked && !early ? lost : undefined);
  }

  private async act(decision: Extract<AgentDecision, { kind: 'act' }>): Promise<AgentInput> {
    // In the middle of a turn the page is no longer the one before it; and without a picture the turn goes on.
    if (!this.state.worked)
      await this.beforeTurn?.finish(this.state.seen).catch(() => {
        this.parts.act.signal.throwIfAborted();
        this.beforeTurn = null;
      });
    const happening = await this.hand.execute(decision, this.state);
    this.expectUntil = this.parts.act.clock.monotonic() + EXPECT_TIMEOUT_MS;
    return happening;
  }

  /** By pictures, where there is somebody who sees them. */
  private async turnVerdict({ detail }: Extract<AgentDecision, { kind: 'judge' }>): Promise<GoalVerdict> {
    const before = this.checkerSees ? await this.beforeTurn?.picture() : null;
    if (!before) return { result: 'undecided', detail };
    const { picture } = await this.picture();
    const answer = await this.models.completeWithImages(
      verifyTurnRequest(this.state, detail, { before, after: picture }, this.parts.mark),
      this.aloud('verdict'),
    );
    if (!isVisionUnavailable(answer))
      return typeof answer === 'string' ? { result: 'undecided', detail } : parseVerdict(answer.text);
    this.checkerSees = false;
    return { result: 'undecided', detail };
  }

  /** Of what came as expected only what a condition finds is told: the next run, which has no model, waits for that. */
  private async keepFindable({ notes: { length } }: AgentState): Promise<void> {
    const { act } = this.parts;
    const { notes } = this.state;
    if (!notes.slice(length).some(({ held }) => held)) return;
    const fresh = notes.slice(length).map(async ({ held, ...note }) => ({
      ...note,
      ...(held && { held: await keepFindableTexts(held, act) }),
    }));
    this.state = { ...this.state, notes: [...notes.slice(0, length), ...(await Promise.all(fresh))] };
  }

  private picture(): Promise<PageWithPicture> {
    const { act, masker } = this.parts;
    return takePagePicture({ ...act, masker });
  }

  private async think(tier: 'text' | 'vision'): Promise<AgentInput> {
    const { mark, memory, act, masker } = this.parts;
    const { state, teller } = this;
    const kept = tier === 'text' && state.seen ? await memory.lookup(state.seen) : null;
    if (kept === 'wait') return { kind: 'seen', observation: await observeStablePage(state.level, STABLE_MS, act) };
    if (kept) {
      const moves = kept.map((move) => plannedActionTitle(move, state.seen));
      const message = `As before on this page: ${moves.join('; ')}`;
      teller.emitThought(
        state,
        { prompt: ACT_TEXT_PROMPT, tier: 'replay', thought: '', moves, expects: turnExpectation(kept) },
        message,
      );
      return { kind: 'thought', reading: { thought: '', moves: kept, problems: [] }, remembered: true };
    }
    const request = tier === 'vision' ? actVisionRequest(state, mark) : actTextRequest(state, mark);
    if (needsPreActionScreenshot(state)) this.before.start(state.seen);
    this.beforeTurn =
      tier === 'text' && canVerifyTurnByScreenshot(state) ? new PreActionScreenshot({ ...act, masker }) : null;
    this.beforeTurn?.start(state.seen);
    const said = streamThinking(state.turn + 1, this.parts);
    const asked = act.clock.monotonic();
    const answer = await (tier === 'vision'
      ? this.models.completeWithImages(request, said)
      : this.models.complete(request, said));
    if (isVisionUnavailable(answer)) return { kind: 'blind', why: answer.reason };
    if (typeof answer === 'string') {
      teller.emitThought(state, { prompt: request.prompt, tier, thought: '', moves: [] }, answer);
      return { kind: 'no-thought', why: answer };
    }
    const image = tier === 'vision' ? (state.frames.at(-1)?.picture ?? null) : null;
    const { secrets } = this.parts.assignment;
    const reading = parseAnswer(answer, { focused: state.seen?.focused ?? null, image, secrets });
    const moves = reading.moves.map((move) => plannedActionTitle(move, state.seen));
    const thought = ellipsize(reading.thought, MAX_THOUGHT);
    const { subGoals } = reading;
    const expects = turnExpectation(reading.moves);
    const message = thought || moves.join('; ') || 'The model wants nothing';
    teller.emitThought(state, { prompt: request.prompt, tier, thought, moves, expects, subGoals }, message);
    const late = act.clock.monotonic() - asked >= LATE_MS;
    const happening = { kind: 'thought' as const, reading, late };
    if (tier === 'text' && state.seen) memory.recordDecision(state.seen, happening);
    else memory.disable();
    return happening;
  }

  /** What a picture of the page shows, in words of a model. */
  private async analyse(question: string | null): Promise<AgentInput> {
    const { observation, picture } = await this.picture();
    const { mark } = this.parts;
    const answer = await this.models.completeWithImages(
      question === null
        ? describeScreenshotRequest(observation, picture, mark)
        : askScreenshotRequest(question, observation, picture, mark),
    );
    if (isVisionUnavailable(answer)) return { kind: 'blind', why: answer.reason };
    const said = typeof answer === 'string' ? answer : answer.text.trim() || 'Nothing was said';
    return { kind: 'analysed', answer: ellipsize(question === null ? said : `${question} → ${said}`, MAX_THOUGHT) };
  }

  /** What lies at a drawn place, in words of a model that knows nothing else: that which checks, or else that which sees. */
  private async examine(spot: Spot): Promise<CanvasTarget | null> {
    const { act, masker } = this.parts;
    const detail = await takeDetailPicture(spot, { ...act, masker });
    for (const role of this.checkerSees ? (['verify', 'vision'] as const) : (['vision'] as const)) {
      const answer = await this.models.completeWithImages(identifyCanvasRequest(role, detail));
      if (!isVisionUnavailable(answer)) return typeof answer === 'string' ? null : parseCanvasTarget(answer.text);
      if (role === 'verify') this.checkerSees = false;
    }
    return null;
  }

  /** Which way to go on. */
  private async plan(why: string): Promise<AgentInput> {
    const { parts, state } = this;
    const answer = await this.models.complete(replanRequest(state, why, parts.mark), this.aloud('plan'));
    const replan = parseReplan(typeof answer === 'string' ? '' : answer.text);
    const moves = [replan.decision, ...(replan.plan === '' ? [] : [replan.plan])];
    const told = { prompt: REPLAN_PROMPT, tier: 'replan', thought: replan.why, moves } as const;
    this.teller.emitThought(state, told, `${replan.decision}: ${replan.why}`);
    return { kind: 'planned', replan };
  }

  /** By pictures where there is somebody who sees them, else by the text. */
  private async verdict({ claim, detail }: Extract<AgentDecision, { kind: 'doubt' }>): Promise<GoalVerdict> {
    const { mark, act } = this.parts;
    const { state } = this;
    this.judged = true;
    if (state.sees && this.checkerSees) {
      const { observation, picture } = await this.picture();
      const frames = { before: await this.before.picture(), after: picture };
      const shown = await this.models.completeWithImages(
        verifyGoalRequest(state, claim, detail, observation, mark, frames),
        this.aloud('verdict'),
      );
      if (!isVisionUnavailable(shown))
        return typeof shown === 'string' ? { result: 'not-met', detail: shown } : parseVerdict(shown.text);
      this.checkerSees = false;
    }
    const seen = await observeWithRetry('page', act);
    const answer = await this.models.complete(
      verifyGoalRequest(state, claim, detail, seen, mark),
      this.aloud('verdict'),
    );
    return typeof answer === 'string' ? { result: 'not-met', detail: answer } : parseVerdict(answer.text);
  }

  /** Tells what a model says of the turn that is over. */
  private aloud(of: 'plan' | 'verdict') {
    return streamThinking(Math.max(1, this.state.turn), this.parts, of);
  }

  private async ask({ question, n, reason }: Extract<AgentDecision, { kind: 'ask' }>): Promise<AgentInput> {
    const { ask, place, act } = this.parts;
    const began = act.clock.monotonic();
    const { choice, text = null, answeredBy: by } = await ask(agentQuestion(question, reason, n, place));
    this.deadline += act.clock.monotonic() - began;
    return { kind: 'answered', choice: choice === 'retry' ? 'continue' : choice, text, by };
  }

  /** Between actions nothing is half done: whoever took the wheel drives until they give it back. @returns whether somebody did */
  private async gaveWay(): Promise<boolean> {
    const { ask, wheel, handDeeds, memory, act } = this.parts;
    const question = wheel();
    if (!question) return false;
    const began = act.clock.monotonic();
    const { answeredBy: by } = await ask(question);
    this.deadline += act.clock.monotonic() - began;
    // On the way there was somebody whom the next run does not have.
    memory.disable();
    this.state = afterManualControl(this.state, by, handDeeds());
    this.teller.emitNewNotes(this.state);
    return true;
  }

  private tooLate(): PilothouseError {
    return new PilothouseError('STEP_TIMED_OUT', `The goal was not reached within its ${stepSeconds(this.step)} s`);
  }

  private note(kind: AgentNote['kind'], note: string): void {
    const { turn, notes } = this.state;
    this.state = { ...this.state, notes: [...notes, { kind, turn, note }] };
  }
}
