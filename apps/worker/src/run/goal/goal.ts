import {
  assertNever,
  DEFAULT_TURNS,
  MAX_THOUGHT,
  PilothouseError,
  readOnlyActions,
  stepSeconds,
  toPilothouseError,
  type Action,
  type Answer,
  type Assignment,
  type ErrorCode,
  type EventData,
  type EventType,
  type GoalStep,
  type PromptRef,
  type Question,
} from '@pilothouse/contract';
import {
  ACT_PROMPT,
  actRequest,
  asksForSuggestions,
  beginGoal,
  conditionSummary,
  decideGoal,
  happened,
  goalLimits,
  lastingGuard,
  moveTitle,
  placed,
  planRequest,
  PLAN_PROMPT,
  questionRequest,
  readAnswer,
  readPatterns,
  readPlan,
  readVerdict,
  recall,
  seeRequest,
  secretsIn,
  verdictRequest,
  type AgentDecision,
  type AgentNote,
  type AgentState,
  type Goal,
  type Happening,
  type HostRule,
  type Masker,
  type Picture,
  type Place,
  type GoalVerdict,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { act, look, type Acted, type ActParts } from '../act.ts';
import type { Reporter } from '../reporter.ts';
import { orAbort } from '../waits.ts';
import { check } from './goal.check.ts';
import { bringForth } from './goal.tabs.ts';
import { whereItStands } from './goal.answer.ts';
import { observe, see, STEADY_MS } from './goal.look.ts';
import type { GoalMemory } from './goal.memory.ts';
import { AgentModels, isBlind } from './goal.models.ts';
import { pictured, type Pictured } from './goal.picture.ts';
import { questionOfAgent } from './goal.question.ts';

/** Milliseconds for one action, and for asking where the surface is. */
const ACT_MS = 15_000;
const ANCHORS_MS = 2_000;
/** Milliseconds for which a list that is about to offer something has to stay the same. */
const SUGGESTIONS_MS = 600;

/** How an action may fail that is for the agent to hear of; everything else is for the run. */
const heard: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_READY',
  'CONDITION_NOT_MET',
  'NAVIGATION_FAILED',
  'EGRESS_REFUSED',
  'SITE_BUSY',
  'STEP_TIMED_OUT',
  'UPLOAD_FAILED',
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'TEMPLATE_INVALID',
  'ACTION_UNSUPPORTED',
  'ACTION_GUARDED',
]);

/** Notes of what goes as it should. */
const informing: ReadonlySet<string> = new Set([
  'changed',
  'verified',
  'decision',
  'answer',
  'seen',
  'stored',
  'climbed',
  'planned',
]);

/** What an agent needs of its attempt. */
export interface AgentParts {
  readonly place: Place;
  readonly act: ActParts;
  readonly link: Pick<AttemptLink, 'model'>;
  readonly reporter: Pick<Reporter, 'add' | 'flush' | 'error'>;
  readonly masker: Masker;
  readonly assignment: Pick<Assignment, 'secrets' | 'answer' | 'agent'>;
  /** Lists of hosts that the run may reach; none: it has no list. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Cannot be guessed by a page. */
  readonly mark: string;
  /** What the same step did on the same pages before. */
  readonly memory: GoalMemory;
  ask(question: Question): Promise<Answer>;
  /** Masks all secrets of the run, wherever they stand. */
  maskSecrets(): Promise<void>;
  /** Waits until a site with a limit has room for what the action opens. */
  polite(action: Action): Promise<void>;
  /** The action is over. @param url where the page is; null: it did not say */
  left(action: Action, url: string | null): void;
  /** What the way out says of an error. */
  explained(error: unknown): unknown;
}

/**
 * Carries out a step that is said in words: looks, asks a model, acts, checks.
 * @throws PilothouseError GOAL_FAILED, STEP_TIMED_OUT; MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED; as `act`
 */
export const reachGoal = (step: GoalStep, parts: AgentParts): Promise<Acted> => new Agent(step, parts).run();

class Agent {
  private readonly step: GoalStep;
  private readonly parts: AgentParts;
  /** Secrets that the goal names. */
  private readonly secrets: ReadonlySet<string>;
  private state: AgentState;
  private told = 0;
  /** A model was asked whether the goal is met. */
  private judged = false;
  private deadline: number;
  private readonly models: AgentModels;
  /** The page before the first action, where a picture of it may be needed. */
  private before: Picture | null = null;
  /** Whether who checks sees pictures, as far as is known. */
  private checkerSees = true;
  /** Milliseconds for which the page has to stand still before it is shown to a model. */
  private stillMs = STEADY_MS;

  constructor(step: GoalStep, parts: AgentParts) {
    this.step = step;
    this.parts = parts;
    const { assignment, place, act, hosts } = parts;
    this.secrets = new Set(secretsIn(step.goal).filter((name) => assignment.secrets.includes(name)));
    const before = assignment.agent.filter(({ data }) => data.step === place.number);
    const answer = answerBefore(assignment.answer, place);
    const start = recall(beginGoal(goalOf(step, hosts), answer && toldBefore(answer)), before);
    // Renewals say that answer again: a question of this attempt with its number would be answered by it, and what it asks be allowed.
    this.state = { ...start, asked: answer?.ask ?? 0 };
    this.told = this.state.notes.length;
    this.deadline = act.clock.monotonic() + stepSeconds(step) * 1000;
    this.models = new AgentModels({ ...parts, deadline: () => this.deadline, tooLate: () => this.tooLate() });
  }

  async run(): Promise<Acted> {
    const { act, maskSecrets } = this.parts;
    // A site may show a secret before it is typed, and what it shows goes to a model.
    await maskSecrets();
    for (;;) {
      act.halt.throwIfAborted();
      act.mayAct();
      const decision = decideGoal(this.state);
      if (decision.kind === 'done') {
        const stands = await whereItStands(decision.answer, act);
        if (stands) this.tell('agent.answered', 'Where the answer stands', stands);
        await Promise.all([this.parts.reporter.flush(), this.parts.memory.reached()]);
        return {
          outcome: { located: null, value: decision.answer },
          deadline: this.deadline,
          rung: this.state.highest === 0 && this.judged ? 1 : this.state.highest,
        };
      }
      if (decision.kind === 'fail') throw new PilothouseError('GOAL_FAILED', decision.reason);
      if (act.clock.monotonic() > this.deadline) throw this.tooLate();
      const happening = await this.carryOut(decision);
      const before = this.state;
      this.state = happened(before, happening);
      this.parts.memory.followed(before, this.state, happening);
      this.tellNotes();
    }
  }

  private async carryOut(decision: Exclude<AgentDecision, { kind: 'done' | 'fail' }>): Promise<Happening> {
    const { act } = this.parts;
    switch (decision.kind) {
      case 'look': {
        const { level } = decision;
        const stillMs = this.state.queue.length === 0 ? this.stillMs : 0;
        const observation = await see(level === 'picture' ? 'view' : level, stillMs, act);
        return level === 'picture' ? { kind: 'seen', ...(await this.picture()) } : { kind: 'seen', observation };
      }
      case 'think':
        return this.think(decision.rung);
      case 'analyse':
        return this.analyse(decision.question);
      case 'plan':
        return this.plan(decision.why);
      case 'act':
        return this.act(decision);
      case 'check':
        return { kind: 'checked', verdict: await this.check(decision) };
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
    return check(claim, this.step, early, act);
  }

  private picture(): Promise<Pictured> {
    const { act, masker } = this.parts;
    return pictured({ ...act, masker });
  }

  private async think(rung: 1 | 2): Promise<Happening> {
    const { mark, memory, act } = this.parts;
    const { state } = this;
    const kept = rung === 1 && state.seen ? await memory.recall(state.seen) : null;
    if (kept === 'wait') return { kind: 'seen', observation: await see(state.level, STEADY_MS, act) };
    if (kept) {
      const moves = kept.map((move) => moveTitle(move, state.seen));
      this.tellThought(ACT_PROMPT, 0, '', moves, `As before on this page: ${moves.join('; ')}`);
      return { kind: 'thought', reading: { thought: '', moves: kept, problems: [] }, remembered: true };
    }
    const request = rung === 2 ? seeRequest(state, mark) : actRequest(state, mark);
    const answer = await (rung === 2 ? this.models.show(request) : this.models.ask(request));
    if (isBlind(answer)) return { kind: 'blind', why: answer.blind };
    if (typeof answer === 'string') {
      this.tellThought(request.prompt, rung, '', [], answer);
      return { kind: 'no-thought', why: answer };
    }
    const image = rung === 2 ? (state.frames.at(-1)?.picture ?? null) : null;
    const reading = readAnswer(answer, { focused: state.seen?.focused ?? null, image });
    const moves = reading.moves.map((move) => moveTitle(move, state.seen));
    const thought = reading.thought.slice(0, MAX_THOUGHT);
    this.tellThought(request.prompt, rung, thought, moves, thought || moves.join('; ') || 'The model wants nothing');
    const happening = { kind: 'thought' as const, reading };
    if (rung === 1 && state.seen) memory.thought(state.seen, happening);
    else memory.stop();
    return happening;
  }

  private tellThought(prompt: PromptRef, rung: 0 | 1 | 2 | 3, thought: string, moves: string[], message: string): void {
    const { seen, turn } = this.state;
    const page = seen && { url: seen.url, title: seen.title };
    this.tell(
      'agent.thought',
      message,
      { thought, moves, prompt, rung, page, ...(rung === 0 && { source: 'cache' }) },
      turn + (rung === 3 ? 0 : 1),
    );
  }

  /** What a picture of the page shows, in words of a model. */
  private async analyse(question: string): Promise<Happening> {
    const { observation, picture } = await this.picture();
    const answer = await this.models.show(questionRequest(question, observation, picture, this.parts.mark));
    if (isBlind(answer)) return { kind: 'blind', why: answer.blind };
    const said = typeof answer === 'string' ? answer : answer.text.trim() || 'Nothing was said';
    return { kind: 'analysed', answer: `${question} → ${said}`.slice(0, MAX_THOUGHT) };
  }

  /** Which way to go on. */
  private async plan(why: string): Promise<Happening> {
    const answer = await this.models.ask(planRequest(this.state, why, this.parts.mark));
    const replan = readPlan(typeof answer === 'string' ? '' : answer.text);
    const way = replan.plan === '' ? [] : [replan.plan];
    this.tellThought(PLAN_PROMPT, 3, replan.why, [replan.decision, ...way], `${replan.decision}: ${replan.why}`);
    return { kind: 'planned', replan };
  }

  /** By pictures where there is somebody who sees them, else by the text. */
  private async verdict({ claim, detail }: Extract<AgentDecision, { kind: 'doubt' }>): Promise<GoalVerdict> {
    const { mark, act } = this.parts;
    const { goal, sees } = this.state;
    this.judged = true;
    if (sees && this.checkerSees) {
      const { observation, picture } = await this.picture();
      const frames = { before: this.before, after: picture };
      const shown = await this.models.show(verdictRequest(goal, claim, detail, observation, mark, frames));
      if (!isBlind(shown))
        return typeof shown === 'string' ? { result: 'not-met', detail: shown } : readVerdict(shown.text);
      this.checkerSees = false;
    }
    const seen = await observe('page', act);
    const answer = await this.models.ask(verdictRequest(goal, claim, detail, seen, mark));
    return typeof answer === 'string' ? { result: 'not-met', detail: answer } : readVerdict(answer.text);
  }

  /** A picture of the page as it was, for who says at the end whether the goal is met: where the author says it, nobody asks. */
  private async keepBefore(): Promise<void> {
    const { goal, sees, frames, actions } = this.state;
    if (this.before || !sees || actions > 0 || goal.success.length > 0 || goal.condition !== null) return;
    this.before = frames[0]?.picture ?? (await this.picture()).picture;
  }

  private async act({ action, n, title }: Extract<AgentDecision, { kind: 'act' }>): Promise<Happening> {
    const { act: parts, reporter, polite, left, explained } = this.parts;
    this.tell('agent.acting', title, { n, move: action, title });
    await polite(action);
    const durable = reporter.flush();
    durable.catch(() => undefined);
    // What changes something is written down before it happens.
    if (!readOnlyActions.has(action.action)) {
      await this.keepBefore();
      await orAbort(durable, parts.halt);
    }
    this.stillMs = this.state.seen && asksForSuggestions(action, this.state.seen) ? SUGGESTIONS_MS : STEADY_MS;
    const began = parts.clock.monotonic();
    const { seen } = this.state;
    let error: PilothouseError | null = null;
    let done: Acted | null = null;
    try {
      done = await act(action, ACT_MS + (action.action === 'wait' ? action.seconds * 1000 : 0), {
        ...parts,
        reveal: (text, origin) => this.reveal(text, origin),
      });
    } catch (thrown) {
      parts.halt.throwIfAborted();
      error = toPilothouseError(explained(thrown));
      if (!heard.has(error.code)) throw thrown;
    }
    const page = await look(parts.clock.monotonic() + ANCHORS_MS, parts, (context) =>
      parts.surface.anchors(context),
    ).catch(() => null);
    parts.halt.throwIfAborted();
    left(action, page?.url ?? null);
    const ms = Math.round(parts.clock.monotonic() - began);
    const view = error && reporter.error(error.view());
    this.tell('agent.acted', view ? `${title}: ${view.message}` : `${title}: done`, {
      n,
      ms,
      error: view,
      page: page && { url: page.url, title: page.title },
      seen: seen && {
        url: seen.url,
        title: seen.title,
        height: seen.scroll.above + seen.viewport.height + seen.scroll.below,
      },
      locators: done?.outcome.located?.others ?? [],
      guard: seen && lastingGuard(action, seen, this.wanted(action)),
    });
    const origin = error?.details?.['origin'];
    return { kind: 'acted', error: view, ...(typeof origin === 'string' && { origin }) };
  }

  /** What the next action is about in words of the model. */
  private wanted(action: Action): string {
    const [move] = this.state.queue;
    return move?.kind === 'act' && move.action === action ? (move.what ?? '') : '';
  }

  /** A secret for the origin that the browser says it is typed into, if the goal names it and it belongs there. */
  private async reveal(text: string, origin: string): Promise<string> {
    const { act, assignment } = this.parts;
    const named = secretsIn(text).filter((name) => assignment.secrets.includes(name));
    const other = named.find((name) => !this.secrets.has(name));
    if (other !== undefined)
      throw new PilothouseError('TEMPLATE_INVALID', `The goal does not name {{inputs.${other}}}: it cannot be typed`);
    const { allow, trusted } = goalLimits(this.state);
    if (named.length > 0 && !allow.has('credentials') && !trusted.has(origin))
      throw new PilothouseError('ACTION_GUARDED', `A secret is not typed into a page of ${origin} without a person`, {
        details: { origin },
      });
    return act.reveal(text, origin);
  }

  private async ask({ question, n, reason }: Extract<AgentDecision, { kind: 'ask' }>): Promise<Happening> {
    const { ask, place, act } = this.parts;
    const began = act.clock.monotonic();
    const { choice, text = null, by } = await ask(questionOfAgent(question, reason, n, place));
    this.deadline += act.clock.monotonic() - began;
    return { kind: 'answered', choice: choice === 'repeat' ? 'continue' : choice, text, by };
  }

  private tooLate(): PilothouseError {
    return new PilothouseError('STEP_TIMED_OUT', `The goal was not reached within its ${stepSeconds(this.step)} s`);
  }

  private note(what: AgentNote['what'], note: string): void {
    const { turn, notes } = this.state;
    this.state = { ...this.state, notes: [...notes, { what, turn, note }] };
  }

  private tellNotes(): void {
    for (const { what, turn, note } of this.state.notes.slice(this.told)) {
      const level = informing.has(what) ? 'info' : 'warn';
      this.parts.reporter.add(
        'agent.noted',
        note,
        { ...this.ref(turn), what, note: note.slice(0, MAX_THOUGHT) },
        level,
      );
    }
    this.told = this.state.notes.length;
  }

  private tell<Type extends AgentEvent>(
    type: Type,
    message: string,
    data: Omit<EventData<Type>, keyof Ref>,
    turn = this.state.turn,
  ): void {
    this.parts.reporter.add(type, message, { ...this.ref(turn), ...data } as unknown as Parameters<
      Reporter['add']
    >[2] as never);
  }

  private ref(turn: number): Ref {
    return { ...placed(this.parts.place), id: this.step.id ?? null, turn };
  }
}

type AgentEvent = Extract<EventType, `agent.${string}`>;
type Ref = Pick<EventData<'agent.noted'>, 'step' | 'at' | 'id' | 'turn'>;

const goalOf = (
  { goal, success = [], outputs, expect, maxSteps = DEFAULT_TURNS, allow = [], notes = {} }: GoalStep,
  hosts: AgentParts['hosts'],
): Goal => ({
  text: goal,
  outputs: outputs ?? null,
  success,
  condition: expect ? conditionSummary(expect) : null,
  maxTurns: maxSteps,
  notes: Object.entries(notes).flatMap(([site, note]) => readPatterns([site]).map((rule) => ({ site: rule, note }))),
  limits: { allow: new Set(allow), hosts },
});

/** What a person answered to a question of this step when the attempt before had given its slot back. */
const answerBefore = (answer: Answer | null, { number }: Place): Answer | null =>
  answer?.ask !== undefined && answer.step === number ? answer : null;

const toldBefore = ({ text, choice }: Answer) => `Before the goal was begun anew, a person answered: ${text ?? choice}`;
