import { createHash } from 'node:crypto';
import {
  MAX_CACHED_TURNS,
  toPilothouseError,
  type Json,
  type Observation,
  type CachedTurn,
} from '@pilothouse/contract';
import {
  pageCacheKey,
  fromCachedTurn,
  toCachedTurn,
  type AgentState,
  type AgentInput,
  type KnownValue,
  type Masker,
  type PlannedAction,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/run-action.ts';

/** Milliseconds that the gateway is waited for: a model is the better answer to its silence. */
const ASK_MS = 2_000;

/** How often a page is looked at again after a turn that was remembered: a site takes its time, where a model took longer. */
const WAITS = 10;

/** What the memory of a goal needs of the attempt. */
export interface MemoryParts {
  readonly link: Pick<AttemptLink, 'request'>;
  readonly act: Pick<ActionScope, 'clock' | 'signal' | 'log'>;
  readonly masker: Masker;
  /** What tells the step from others, and what it says. */
  readonly step: Json;
  /** What the run was given. */
  readonly known: readonly KnownValue[];
  /** Names of its secrets. */
  readonly secrets: readonly string[];
  /** The workflow wants it, and the goal is begun at its beginning. */
  readonly isOn: boolean;
}

interface Turn {
  readonly key: string;
  readonly moves: CachedTurn;
  readonly source: 'model' | 'cache';
}

/**
 * What an agent did in the same step when it saw the same pages. Only a course without a mistake is remembered, and followed only as long as
 * it is the same from its beginning: the key of a turn stands for all that was seen and done before.
 */
export class ActionCache {
  private readonly parts: MemoryParts;
  private readonly step: string;
  private turns: Turn[] = [];
  /** Stands for what the run was given, and what was seen and done so far. */
  private progress: string;
  private isRecording: boolean;
  private isRecalling: boolean;
  private waits = 0;
  /** What was asked for last, in vain. */
  private missed = '';

  constructor(parts: MemoryParts) {
    this.parts = parts;
    this.step = digest(parts.step);
    this.progress = digest([this.step, parts.known.map(({ template, value }) => [template, value])]);
    this.isRecording = this.isRecalling = parts.isOn;
  }

  /** @returns moves that worked here; `wait` when the page may only not be there yet; null: a model has to be asked */
  async lookup(seen: Observation): Promise<readonly PlannedAction[] | 'wait' | null> {
    if (!this.isRecalling) return null;
    const key = this.keyOf(seen);
    const kept = key === this.missed ? null : await this.ask(key);
    this.missed = key;
    const moves = kept && fromCachedTurn(kept, seen, this.parts.known, this.parts.secrets);
    if (kept && moves) {
      this.waits = WAITS;
      this.note({ key, moves: kept, source: 'cache' });
      return moves;
    }
    this.waits -= 1;
    if (this.waits > 0) return 'wait';
    this.isRecalling = false;
    return null;
  }

  /** A model said what to do here. */
  recordDecision(seen: Observation, { reading }: Extract<AgentInput, { kind: 'thought' }>): void {
    if (!this.isRecording) return;
    const { known, secrets } = this.parts;
    const shown = this.masked(seen);
    const { moves, problems } = reading;
    const kept = problems.length > 0 ? null : toCachedTurn(this.masked(moves), shown, known, secrets);
    if (kept) this.note({ key: this.keyOf(seen), moves: kept, source: 'model' });
    else this.isRecording = false;
  }

  /** Something happened: a course with a mistake, or one on which a person said where to go, is not remembered. */
  onTransition(before: AgentState, after: AgentState, happening: AgentInput): void {
    if (!this.isRecording) return;
    const isMistaken = after.notes.slice(before.notes.length).some(({ kind }) => mistakes.has(kind));
    const isLed =
      happening.kind === 'answered' &&
      !(before.phase.kind === 'asking' && before.phase.question.kind === 'confirm' && happening.choice === 'continue');
    if (!isMistaken && !isLed) return;
    this.isRecording = this.isRecalling = false;
    const last = this.turns.at(-1);
    const isWrong = isMistaken && last?.source === 'cache';
    this.turns = [];
    if (isWrong) void this.keep([last.key]);
  }

  /** What was decided by more than the list is not remembered, nor what came after it. */
  disable(): void {
    this.isRecording = this.isRecalling = false;
  }

  /** The goal was reached: what led to it is kept. */
  async commit(): Promise<void> {
    if (this.isRecording && this.turns.some(({ source }) => source === 'model')) await this.keep([]);
  }

  private note(turn: Turn): void {
    this.turns.push(turn);
    this.progress = digest([turn.key, turn.moves]);
    if (this.turns.length > MAX_CACHED_TURNS) this.isRecording = this.isRecalling = false;
  }

  private keyOf(seen: Observation): string {
    return digest([this.progress, pageCacheKey(this.masked(seen))]);
  }

  private masked<Value>(value: Value): Value {
    return this.parts.masker.json(value as unknown as Json) as unknown as Value;
  }

  private async ask(key: string): Promise<CachedTurn | null> {
    const { link, act } = this.parts;
    const context = { signal: act.signal, deadline: act.clock.monotonic() + ASK_MS };
    try {
      return (await link.request('action_cache.get', { step: this.step, key }, context)).actions;
    } catch (thrown) {
      this.unheard(thrown);
      this.isRecalling = false;
      return null;
    }
  }

  private async keep(evict: string[]): Promise<void> {
    const { link, act } = this.parts;
    const context = { signal: act.signal, deadline: act.clock.monotonic() + ASK_MS };
    const entries = this.turns.map(({ key, moves }) => ({ key, actions: moves }));
    try {
      await link.request('action_cache.put', { step: this.step, entries, evict }, context);
    } catch (thrown) {
      this.unheard(thrown);
    }
  }

  /** Without its memory an agent does as well. */
  private unheard(thrown: unknown): void {
    const { code, message } = toPilothouseError(thrown);
    this.parts.act.log.warn({ code, error: message }, 'the memory of the agent cannot be asked');
  }
}

/** Notes of what went wrong. */
const mistakes: ReadonlySet<string> = new Set(['problem', 'repeated_turn', 'unverified', 'human_asked']);

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
