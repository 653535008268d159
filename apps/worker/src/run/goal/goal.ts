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
  type Json,
  type ModelAnswer,
  type ModelRequest,
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
  readAnswer,
  readVerdict,
  recall,
  secretsIn,
  verdictRequest,
  type AgentDecision,
  type AgentState,
  type Goal,
  type Happening,
  type HostRule,
  type Masker,
  type Place,
  type GoalVerdict,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { act, look, type Acted, type ActParts } from '../act.ts';
import type { Reporter } from '../reporter.ts';
import { orAbort } from '../waits.ts';
import { check } from './goal.check.ts';
import { whereItStands } from './goal.answer.ts';
import { observe, see, STEADY_MS } from './goal.look.ts';
import { questionOfAgent } from './goal.question.ts';

/** Milliseconds for one action, and for asking where the surface is. */
const ACT_MS = 15_000;
const ANCHORS_MS = 2_000;
/** Milliseconds for which a list that is about to offer something has to stay the same. */
const SUGGESTIONS_MS = 600;
/** Milliseconds that a model is waited for, and before the end of the step in which its silence is that the time is over. */
const MODEL_MS = 120_000;
const LAST_MS = 1_500;

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
const informing: ReadonlySet<string> = new Set(['changed', 'verified', 'decision', 'answer']);

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
  private deadline: number;
  private called = false;
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
        await this.parts.reporter.flush();
        return {
          outcome: { located: null, value: decision.answer },
          deadline: this.deadline,
          rung: this.called ? 1 : 0,
        };
      }
      if (decision.kind === 'fail') throw new PilothouseError('GOAL_FAILED', decision.reason);
      if (act.clock.monotonic() > this.deadline) throw this.tooLate();
      this.state = happened(this.state, await this.carryOut(decision));
      this.tellNotes();
    }
  }

  private async carryOut(decision: Exclude<AgentDecision, { kind: 'done' | 'fail' }>): Promise<Happening> {
    const { act } = this.parts;
    switch (decision.kind) {
      case 'look':
        return {
          kind: 'seen',
          observation: await see(decision.level, this.state.queue.length === 0 ? this.stillMs : 0, act),
        };
      case 'think':
        return this.think();
      case 'act':
        return this.act(decision);
      case 'check':
        return { kind: 'checked', verdict: await check(decision.claim, this.step, decision.early, act) };
      case 'doubt':
        return { kind: 'checked', verdict: await this.verdict(decision) };
      case 'ask':
        return this.ask(decision);
      default:
        return assertNever(decision);
    }
  }

  private async think(): Promise<Happening> {
    const { mark } = this.parts;
    const { state } = this;
    const answer = await this.model(actRequest(state, mark));
    if (typeof answer === 'string') {
      this.tellThought('', [], answer);
      return { kind: 'no-thought', why: answer };
    }
    const reading = readAnswer(answer, { focused: state.seen?.focused ?? null, image: null });
    const moves = reading.moves.map((move) => moveTitle(move, state.seen));
    const thought = reading.thought.slice(0, MAX_THOUGHT);
    this.tellThought(thought, moves, thought || moves.join('; ') || 'The model wants nothing');
    return { kind: 'thought', reading };
  }

  private tellThought(thought: string, moves: string[], message: string): void {
    const { seen, turn } = this.state;
    const page = seen && { url: seen.url, title: seen.title };
    this.tell('agent.thought', message, { thought, moves, prompt: ACT_PROMPT, page }, turn + 1);
  }

  private async verdict({ claim, detail }: Extract<AgentDecision, { kind: 'doubt' }>): Promise<GoalVerdict> {
    const { mark, act } = this.parts;
    const seen = await observe('page', act);
    const answer = await this.model(verdictRequest(this.state.goal, claim, detail, seen, mark));
    return typeof answer === 'string' ? { result: 'not-met', detail: answer } : readVerdict(answer.text);
  }

  /** @returns a sentence where the model answered what cannot be used */
  private async model(request: ModelRequest): Promise<ModelAnswer | string> {
    const { link, masker, place, act } = this.parts;
    this.called = true;
    // Not a word leaves that is a secret.
    const masked = masker.json(request as unknown as Json) as unknown as ModelRequest;
    const deadline = Math.min(this.deadline, act.clock.monotonic() + MODEL_MS);
    try {
      const answer = await link.model(place.number, masked, { signal: act.halt, deadline });
      if (answer.finish === 'length') return 'The answer was cut off: be shorter';
      return answer.finish === 'safety' ? 'The provider of the model blocked its answer' : answer;
    } catch (thrown) {
      act.halt.throwIfAborted();
      const error = toPilothouseError(thrown);
      const isAway = error.code === 'MODEL_UNAVAILABLE' || error.code === 'UNAVAILABLE';
      if (isAway && act.clock.monotonic() > this.deadline - LAST_MS) throw this.tooLate();
      if (error.code !== 'MODEL_INVALID') throw thrown;
      return `The answer cannot be used: ${error.message}`;
    }
  }

  private async act({ action, n, title }: Extract<AgentDecision, { kind: 'act' }>): Promise<Happening> {
    const { act: parts, reporter, polite, left, explained } = this.parts;
    this.tell('agent.acting', title, { n, move: action, title });
    await polite(action);
    const durable = reporter.flush();
    durable.catch(() => undefined);
    // What changes something is written down before it happens.
    if (!readOnlyActions.has(action.action)) await orAbort(durable, parts.halt);
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
      guard: seen && lastingGuard(action, seen),
    });
    const origin = error?.details?.['origin'];
    return { kind: 'acted', error: view, ...(typeof origin === 'string' && { origin }) };
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
  { goal, success = [], outputs, expect, maxSteps = DEFAULT_TURNS, allow = [] }: GoalStep,
  hosts: AgentParts['hosts'],
): Goal => ({
  text: goal,
  outputs: outputs ?? null,
  success,
  condition: expect ? conditionSummary(expect) : null,
  maxTurns: maxSteps,
  limits: { allow: new Set(allow), hosts },
});

/** What a person answered to a question of this step when the attempt before had given its slot back. */
const answerBefore = (answer: Answer | null, { number }: Place): Answer | null =>
  answer?.ask !== undefined && answer.step === number ? answer : null;

const toldBefore = ({ text, choice }: Answer) => `Before the goal was begun anew, a person answered: ${text ?? choice}`;
