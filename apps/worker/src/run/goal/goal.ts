import {
  assertNever,
  MAX_THOUGHT,
  PilothouseError,
  stepSeconds,
  type Answer,
  type GoalStep,
  type Observation,
  type Question,
} from '@pilothouse/contract';
import {
  ACT_PROMPT,
  actRequest,
  asksForSuggestions,
  captionRequest,
  decideGoal,
  drawnRequest,
  droveBy,
  expectationOf,
  fileIdsIn,
  happened,
  lostFrom,
  moveTitle,
  PLAN_PROMPT,
  planRequest,
  questionRequest,
  readAnswer,
  readDrawn,
  readPlan,
  readVerdict,
  turnVerdictRequest,
  mayBeJudged,
  seeRequest,
  shortened,
  unusedIn,
  verdictRequest,
  type AgentDecision,
  type AgentNote,
  type AgentState,
  type Drawn,
  type GoalVerdict,
  type Happening,
  type Masker,
  type Place,
  type Rung,
  type Shown,
  type Spot,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { Acted } from '../act.ts';
import type { Reporter } from '../reporter.ts';
import { whereItStands } from './goal.answer.ts';
import { begin, type Beginning } from './goal.begin.ts';
import { check } from './goal.check.ts';
import { EXPECT_MS, findable, untilShown, untilThere } from './goal.expect.ts';
import { Hand, wantsBefore, type HandParts } from './goal.hand.ts';
import { observe, see, STEADY_MS } from './goal.look.ts';
import type { GoalMemory } from './goal.memory.ts';
import { AgentModels, isBlind } from './goal.models.ts';
import { Before, detailAt, pictured, type Pictured } from './goal.picture.ts';
import { questionOfAgent } from './goal.question.ts';
import { bringForth } from './goal.tabs.ts';
import { Teller, type BranchPlace } from './goal.teller.ts';
import { thinkingAloud } from './goal.thinking.ts';

/** Milliseconds for which a list that is about to offer something has to stay the same. */
const SUGGESTIONS_MS = 600;

/** Milliseconds after which a page that was looked at may be another: something may have come to lie over it. */
const LATE_MS = 1_000;

/** What an agent needs of its attempt. */
export interface AgentParts extends HandParts, Pick<Beginning, 'hosts' | 'opened'> {
  readonly place: Place;
  /** Of a goal in a branch of the step at this place. */
  readonly branch?: BranchPlace;
  readonly link: Pick<AttemptLink, 'model' | 'think'>;
  readonly reporter: Pick<Reporter, 'add' | 'flush' | 'error'>;
  readonly masker: Masker;
  readonly assignment: HandParts['assignment'] & Beginning['assignment'];
  /** Cannot be guessed by a page. */
  readonly mark: string;
  /** What the same step did on the same pages before. */
  readonly memory: GoalMemory;
  ask(question: Question): Promise<Answer>;
  /** It took a higher rung than before. */
  climbed(rung: Rung): void;
  /** What the run stops for because somebody took the wheel; null: nobody did. */
  wheel(): Question | null;
  /** What was done by hand at the last stop, in words. */
  handDeeds(): readonly string[];
  /** Masks all secrets of the run, wherever they stand. */
  maskSecrets(): Promise<void>;
}

/**
 * Carries out a step that is said in words: looks, asks a model, acts, checks.
 * @throws PilothouseError GOAL_FAILED, STEP_TIMED_OUT; MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED; as `act`
 */
export const reachGoal = (step: GoalStep, parts: AgentParts): Promise<Acted> => new Agent(step, parts).run();

/** Before these a person may take the wheel. */
const isTurn = ({ kind }: AgentDecision) => kind === 'think' || kind === 'act';

class Agent {
  private readonly step: GoalStep;
  private readonly parts: AgentParts;
  private state: AgentState;
  /** A model was asked whether the goal is met. */
  private judged = false;
  private deadline: number;
  private readonly models: AgentModels;
  private readonly teller: Teller;
  private readonly hand: Hand;
  private readonly before: Before;
  /** The page before the turn, where a model may be asked what came of it. */
  private beforeTurn: Before | null = null;
  /** Monotonic milliseconds until which what the turn is to lead to is waited for. */
  private expectUntil = 0;
  /** Whether who checks sees pictures, as far as is known. */
  private checkerSees = true;
  /** A document whose loading screen did not go in time: it is not waited for again. */
  private busyDocument: number | null = null;
  /** Milliseconds for which the page has to stand still before it is shown to a model. */
  private stillMs = STEADY_MS;

  constructor(step: GoalStep, parts: AgentParts) {
    this.step = step;
    this.parts = parts;
    const { place, branch, act, masker, reporter } = parts;
    this.state = begin(step, parts);
    this.teller = new Teller(place, reporter, this.state.notes.length, branch);
    this.before = new Before({ ...act, masker });
    this.hand = new Hand(step, parts, this.teller, this.before);
    this.deadline = act.clock.monotonic() + stepSeconds(step) * 1000;
    this.models = new AgentModels({ ...parts, deadline: () => this.deadline, tooLate: () => this.tooLate() });
  }

  async run(): Promise<Acted> {
    const { act, maskSecrets } = this.parts;
    // A site may show a secret before it is typed, and what it shows goes to a model.
    await maskSecrets();
    await this.nameFiles();
    for (;;) {
      act.halt.throwIfAborted();
      act.mayAct();
      const decision = decideGoal(this.state);
      if (decision.kind === 'done') {
        const stands = await whereItStands(decision.answer, act);
        if (stands) this.teller.tell('agent.answered', 'Where the answer stands', stands, this.state.turn);
        await Promise.all([this.parts.reporter.flush(), this.parts.memory.reached()]);
        return {
          outcome: { located: null, value: decision.answer },
          deadline: this.deadline,
          rung: this.state.highest === 0 && this.judged ? 1 : this.state.highest,
        };
      }
      if (decision.kind === 'fail') throw new PilothouseError('GOAL_FAILED', decision.reason);
      if (isTurn(decision) && (await this.gaveWay())) continue;
      if (act.clock.monotonic() > this.deadline) throw this.tooLate();
      const happening = await this.carryOut(decision);
      const before = this.state;
      this.state = happened(before, happening);
      await this.keepFindable(before);
      if (this.state.highest !== before.highest) this.parts.climbed(this.state.highest);
      this.parts.memory.followed(before, this.state, happening);
      this.teller.notes(this.state);
    }
  }

  /** What the files are that the goal names; of what is no file of the run nothing is known. */
  private async nameFiles(): Promise<void> {
    const { act } = this.parts;
    const { goal } = this.state;
    const asked = fileIdsIn(goal.text).map((id) => act.fileFacts(id).catch(() => null));
    const files = (await Promise.all(asked)).flatMap((one) => one ?? []);
    act.halt.throwIfAborted();
    this.state = { ...this.state, goal: { ...goal, files } };
  }

  private async carryOut(decision: Exclude<AgentDecision, { kind: 'done' | 'fail' }>): Promise<Happening> {
    const { act } = this.parts;
    switch (decision.kind) {
      case 'look': {
        const { level, until } = decision;
        if (level === 'anchors')
          return { kind: 'placed', where: await untilThere(until?.anchor ?? '', this.expectUntil, act) };
        if (until) return { kind: 'seen', observation: await untilShown(until, this.expectUntil, act) };
        const stillMs = this.state.queue.length === 0 ? this.stillMs : 0;
        const take = wantsBefore(this.state) ? (seen: Observation) => this.before.take(seen) : undefined;
        const isKnown = (seen: Observation) => seen.document === this.busyDocument;
        const observation = await see(level === 'picture' ? 'view' : level, stillMs, act, take, isKnown);
        if (observation.busy) this.busyDocument = observation.document;
        return level === 'picture' ? { kind: 'seen', ...(await this.picture()) } : { kind: 'seen', observation };
      }
      case 'think':
        return this.think(decision.rung);
      case 'analyse':
        return this.analyse(decision.question);
      case 'plan':
        return this.plan(decision.why);
      case 'examine':
        return { kind: 'examined', drawn: await this.examine(decision.place) };
      case 'act':
        this.stillMs =
          this.state.seen && asksForSuggestions(decision.action, this.state.seen) ? SUGGESTIONS_MS : STEADY_MS;
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
    const isElsewhere = !early && claim.anchor !== null && (await bringForth(claim.anchor, act));
    if (isElsewhere) this.note('changed', `A tab in the background has “${claim.anchor}”: it was brought to front`);
    const { entered, goal } = this.state;
    const isAsked = entered.length > 0 || /["“„«]/.test(goal.text);
    const lost = (seen: Shown) => [...lostFrom(entered, seen), ...unusedIn(this.state, claim.answer, seen)];
    return check(claim, this.step, early, act, isAsked && !early ? lost : undefined);
  }

  private async act(decision: Extract<AgentDecision, { kind: 'act' }>): Promise<Happening> {
    // In the middle of a turn the page is no longer the one before it; and without a picture the turn goes on.
    if (!this.state.worked)
      await this.beforeTurn?.taken(this.state.seen).catch(() => {
        this.parts.act.halt.throwIfAborted();
        this.beforeTurn = null;
      });
    const happening = await this.hand.act(decision, this.state);
    this.expectUntil = this.parts.act.clock.monotonic() + EXPECT_MS;
    return happening;
  }

  /** By pictures, where there is somebody who sees them. */
  private async turnVerdict({ detail }: Extract<AgentDecision, { kind: 'judge' }>): Promise<GoalVerdict> {
    const before = this.checkerSees ? await this.beforeTurn?.picture() : null;
    if (!before) return { result: 'undecided', detail };
    const { picture } = await this.picture();
    const answer = await this.models.show(
      turnVerdictRequest(this.state, detail, { before, after: picture }, this.parts.mark),
      this.aloud('verdict'),
    );
    if (!isBlind(answer))
      return typeof answer === 'string' ? { result: 'undecided', detail } : readVerdict(answer.text);
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
      ...(held && { held: await findable(held, act) }),
    }));
    this.state = { ...this.state, notes: [...notes.slice(0, length), ...(await Promise.all(fresh))] };
  }

  private picture(): Promise<Pictured> {
    const { act, masker } = this.parts;
    return pictured({ ...act, masker });
  }

  private async think(rung: 1 | 2): Promise<Happening> {
    const { mark, memory, act, masker } = this.parts;
    const { state, teller } = this;
    const kept = rung === 1 && state.seen ? await memory.recall(state.seen) : null;
    if (kept === 'wait') return { kind: 'seen', observation: await see(state.level, STEADY_MS, act) };
    if (kept) {
      const moves = kept.map((move) => moveTitle(move, state.seen));
      const message = `As before on this page: ${moves.join('; ')}`;
      teller.thought(state, { prompt: ACT_PROMPT, rung: 0, thought: '', moves, expects: expectationOf(kept) }, message);
      return { kind: 'thought', reading: { thought: '', moves: kept, problems: [] }, remembered: true };
    }
    const request = rung === 2 ? seeRequest(state, mark) : actRequest(state, mark);
    if (wantsBefore(state)) this.before.take(state.seen);
    this.beforeTurn = rung === 1 && mayBeJudged(state) ? new Before({ ...act, masker }) : null;
    this.beforeTurn?.take(state.seen);
    const said = thinkingAloud(state.turn + 1, this.parts);
    const asked = act.clock.monotonic();
    const answer = await (rung === 2 ? this.models.show(request, said) : this.models.ask(request, said));
    if (isBlind(answer)) return { kind: 'blind', why: answer.blind };
    if (typeof answer === 'string') {
      teller.thought(state, { prompt: request.prompt, rung, thought: '', moves: [] }, answer);
      return { kind: 'no-thought', why: answer };
    }
    const image = rung === 2 ? (state.frames.at(-1)?.picture ?? null) : null;
    const { secrets } = this.parts.assignment;
    const reading = readAnswer(answer, { focused: state.seen?.focused ?? null, image, secrets });
    const moves = reading.moves.map((move) => moveTitle(move, state.seen));
    const thought = shortened(reading.thought, MAX_THOUGHT);
    const { subGoals } = reading;
    const expects = expectationOf(reading.moves);
    const message = thought || moves.join('; ') || 'The model wants nothing';
    teller.thought(state, { prompt: request.prompt, rung, thought, moves, expects, subGoals }, message);
    const late = act.clock.monotonic() - asked >= LATE_MS;
    const happening = { kind: 'thought' as const, reading, late };
    if (rung === 1 && state.seen) memory.thought(state.seen, happening);
    else memory.stop();
    return happening;
  }

  /** What a picture of the page shows, in words of a model. */
  private async analyse(question: string | null): Promise<Happening> {
    const { observation, picture } = await this.picture();
    const { mark } = this.parts;
    const answer = await this.models.show(
      question === null
        ? captionRequest(observation, picture, mark)
        : questionRequest(question, observation, picture, mark),
    );
    if (isBlind(answer)) return { kind: 'blind', why: answer.blind };
    const said = typeof answer === 'string' ? answer : answer.text.trim() || 'Nothing was said';
    return { kind: 'analysed', answer: shortened(question === null ? said : `${question} → ${said}`, MAX_THOUGHT) };
  }

  /** What lies at a drawn place, in words of a model that knows nothing else: that which checks, or else that which sees. */
  private async examine(spot: Spot): Promise<Drawn | null> {
    const { act, masker } = this.parts;
    const detail = await detailAt(spot, { ...act, masker });
    for (const role of this.checkerSees ? (['verify', 'see'] as const) : (['see'] as const)) {
      const answer = await this.models.show(drawnRequest(role, detail));
      if (!isBlind(answer)) return typeof answer === 'string' ? null : readDrawn(answer.text);
      if (role === 'verify') this.checkerSees = false;
    }
    return null;
  }

  /** Which way to go on. */
  private async plan(why: string): Promise<Happening> {
    const { parts, state } = this;
    const answer = await this.models.ask(planRequest(state, why, parts.mark), this.aloud('plan'));
    const replan = readPlan(typeof answer === 'string' ? '' : answer.text);
    const moves = [replan.decision, ...(replan.plan === '' ? [] : [replan.plan])];
    const told = { prompt: PLAN_PROMPT, rung: 3, thought: replan.why, moves } as const;
    this.teller.thought(state, told, `${replan.decision}: ${replan.why}`);
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
      const shown = await this.models.show(
        verdictRequest(state, claim, detail, observation, mark, frames),
        this.aloud('verdict'),
      );
      if (!isBlind(shown))
        return typeof shown === 'string' ? { result: 'not-met', detail: shown } : readVerdict(shown.text);
      this.checkerSees = false;
    }
    const seen = await observe('page', act);
    const answer = await this.models.ask(verdictRequest(state, claim, detail, seen, mark), this.aloud('verdict'));
    return typeof answer === 'string' ? { result: 'not-met', detail: answer } : readVerdict(answer.text);
  }

  /** Tells what a model says of the turn that is over. */
  private aloud(of: 'plan' | 'verdict') {
    return thinkingAloud(Math.max(1, this.state.turn), this.parts, of);
  }

  private async ask({ question, n, reason }: Extract<AgentDecision, { kind: 'ask' }>): Promise<Happening> {
    const { ask, place, act } = this.parts;
    const began = act.clock.monotonic();
    const { choice, text = null, by } = await ask(questionOfAgent(question, reason, n, place));
    this.deadline += act.clock.monotonic() - began;
    return { kind: 'answered', choice: choice === 'repeat' ? 'continue' : choice, text, by };
  }

  /** Between actions nothing is half done: whoever took the wheel drives until they give it back. @returns whether somebody did */
  private async gaveWay(): Promise<boolean> {
    const { ask, wheel, handDeeds, memory, act } = this.parts;
    const question = wheel();
    if (!question) return false;
    const began = act.clock.monotonic();
    const { by } = await ask(question);
    this.deadline += act.clock.monotonic() - began;
    // On the way there was somebody whom the next run does not have.
    memory.stop();
    this.state = droveBy(this.state, by, handDeeds());
    this.teller.notes(this.state);
    return true;
  }

  private tooLate(): PilothouseError {
    return new PilothouseError('STEP_TIMED_OUT', `The goal was not reached within its ${stepSeconds(this.step)} s`);
  }

  private note(what: AgentNote['what'], note: string): void {
    const { turn, notes } = this.state;
    this.state = { ...this.state, notes: [...notes, { what, turn, note }] };
  }
}
