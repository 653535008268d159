import { createHash } from 'node:crypto';
import { MAX_CACHED_TURNS, type CallCost, type CachedTurn } from '@pilothouse/contract/agent/agent.schema';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { pageCacheKey, fromCachedTurn, toCachedTurn } from '@pilothouse/core/agent/action-reuse';
import type { AgentInput } from '@pilothouse/core/agent/agent-protocol';
import type { AgentState } from '@pilothouse/core/agent/agent-state';
import type { KnownValue } from '@pilothouse/core/agent/compile/templatizer';
import type { ParsedAnswer, PlannedAction } from '@pilothouse/core/agent/planned-action';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/action-scope.ts';

/** Milliseconds to wait for the gateway. After that a model decides. */
const REQUEST_TIMEOUT_MS = 2_000;

/** Observations after a cached turn before a model decides: a page may need as long as a model call took. */
const MAX_WAITS = 10;

export interface ActionCacheOptions {
  readonly link: Pick<AttemptLink, 'request'>;
  readonly scope: Pick<ActionScope, 'clock' | 'signal' | 'log'>;
  readonly masker: Masker;
  /** Identifies the step and its content. */
  readonly stepKey: Json;
  /** Inputs of the run and other values of templates. */
  readonly knownValues: readonly KnownValue[];
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
  readonly isEnabled: boolean;
}

interface RecordedTurn {
  readonly key: string;
  readonly actions: CachedTurn;
  /** Cost of the model call that chose the actions. */
  readonly callCost: CallCost;
  readonly source: 'model' | 'cache';
}

/** Actions of an earlier run, and the cost of the model call that they replace. */
export interface CachedActions {
  readonly actions: readonly PlannedAction[];
  readonly replacedCall: CallCost;
}

/**
 * Actions of earlier runs of the same step on the same pages. Only turns without a mistake are stored, and they are replayed only while
 * everything from the start of the goal is the same. The key of a turn includes all pages and turns before it.
 */
export class ActionCache {
  private readonly options: ActionCacheOptions;
  private readonly step: string;
  private turns: RecordedTurn[] = [];
  /** Digest of the inputs and of all turns so far. */
  private progress: string;
  private isRecording: boolean;
  private isReplaying: boolean;
  private remainingWaits = 0;
  /** Key of the last request without a result. */
  private missedKey = '';

  constructor(options: ActionCacheOptions) {
    this.options = options;
    this.step = digest(options.stepKey);
    this.progress = digest([this.step, options.knownValues.map(({ template, value }) => [template, value])]);
    this.isRecording = this.isReplaying = options.isEnabled;
  }

  /** @returns cached actions; `wait` if the page may still change into a known one; null: a model decides */
  async lookup(page: Observation): Promise<CachedActions | 'wait' | null> {
    if (!this.isReplaying) return null;
    const { knownValues, secrets } = this.options;
    const key = this.keyOf(page);
    const cached = key === this.missedKey ? null : await this.request(key);
    this.missedKey = key;
    const actions = cached && fromCachedTurn(cached.actions, page, knownValues, secrets);
    if (cached && actions) {
      this.remainingWaits = MAX_WAITS;
      this.addTurn({ key, ...cached, source: 'cache' });
      return { actions, replacedCall: cached.callCost };
    }
    this.remainingWaits -= 1;
    if (this.remainingWaits > 0) return 'wait';
    this.isReplaying = false;
    return null;
  }

  /** Records the turn of a model. */
  recordAnswer(
    page: Observation,
    { actions: moves, problems }: ParsedAnswer,
    { usage, usd, durationMs }: Pick<ModelAnswer, 'usage' | 'usd' | 'durationMs'>,
  ): void {
    if (!this.isRecording) return;
    const { knownValues, secrets } = this.options;
    const actions = problems.length > 0 ? null : toCachedTurn(this.mask(moves), this.mask(page), knownValues, secrets);
    const tokens = usage.inputTokens + usage.outputTokens;
    const callCost = { tokens, usd, durationMs: Math.round(durationMs) };
    if (actions) this.addTurn({ key: this.keyOf(page), actions, callCost, source: 'model' });
    else this.isRecording = false;
  }

  /** Stops recording after a mistake, or after a person gave directions. */
  onTransition(previous: AgentState, next: AgentState, input: AgentInput): void {
    if (!this.isRecording) return;
    const isMistake = next.history.notes
      .slice(previous.history.notes.length)
      .some(({ kind }) => mistakeNotes.has(kind));
    const isApproval =
      input.kind === 'humanAnswered' && previous.phase.kind !== 'awaitingHuman' && input.choice === 'continue';
    const isDirection = input.kind === 'humanAnswered' && !isApproval;
    if (!isMistake && !isDirection) return;
    this.disable();
    const last = this.turns.at(-1);
    this.turns = [];
    if (isMistake && last?.source === 'cache') void this.store([last.key]);
  }

  /** Stops recording: the next decisions depend on more than the element list. */
  disable(): void {
    this.isRecording = this.isReplaying = false;
  }

  /** Stores the turns, because the goal is met. */
  async commit(): Promise<void> {
    if (this.isRecording && this.turns.some(({ source }) => source === 'model')) await this.store([]);
  }

  private addTurn(turn: RecordedTurn): void {
    this.turns.push(turn);
    this.progress = digest([turn.key, turn.actions]);
    if (this.turns.length > MAX_CACHED_TURNS) this.disable();
  }

  private keyOf(page: Observation): string {
    return digest([this.progress, pageCacheKey(this.mask(page))]);
  }

  private mask<Value>(value: Value): Value {
    return this.options.masker.json(value as unknown as Json) as unknown as Value;
  }

  private async request(key: string): Promise<Pick<RecordedTurn, 'actions' | 'callCost'> | null> {
    try {
      const { cached } = await this.options.link.request(
        'action_cache.get',
        { step: this.step, key },
        this.requestContext(),
      );
      return cached;
    } catch (thrown) {
      this.logFailure(thrown);
      this.isReplaying = false;
      return null;
    }
  }

  private async store(evict: string[]): Promise<void> {
    const entries = this.turns.map(({ key, actions, callCost }) => ({ key, actions, callCost }));
    try {
      await this.options.link.request('action_cache.put', { step: this.step, entries, evict }, this.requestContext());
    } catch (thrown) {
      this.logFailure(thrown);
    }
  }

  private requestContext() {
    const { signal, clock } = this.options.scope;
    return { signal, deadline: clock.monotonic() + REQUEST_TIMEOUT_MS };
  }

  /** The agent works without its cache. */
  private logFailure(thrown: unknown): void {
    const { code, message } = toPilothouseError(thrown);
    this.options.scope.log.warn({ code, error: message }, 'action cache unavailable');
  }
}

const mistakeNotes: ReadonlySet<string> = new Set(['problem', 'repeated_turn', 'unverified', 'human_asked']);

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
