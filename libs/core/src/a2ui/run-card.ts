/** The card of a run: a heading, a row per step, a question and a result. It depends only on the events of the run. */
import type { Json, SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { DEFAULT_SURFACE, surfaceTraits } from '../surface/surface-traits.ts';

/** Status of a row. `interrupted`: it waits for a person, or its worker was lost. */
export type RowStatus = 'pending' | 'running' | 'completed' | 'failed' | 'interrupted' | 'skipped';

/** A step, or a stage before the first step. */
export interface RunCardRow {
  readonly title: string;
  /** Current activity or result; may be empty. */
  readonly detail: string;
  readonly status: RowStatus;
}

export interface ActivityRow extends RunCardRow {
  /** Identifies the row in its run. */
  readonly key: string;
  /** Set for the context of a goal. */
  readonly context?: GoalContext;
}

/** Knowledge that a goal used besides pages. */
export interface GoalContext {
  /** Notes by site or application. */
  readonly notes: ReadonlyMap<string, number>;
  /** Turns whose actions came from an earlier run. */
  readonly cachedTurns: number;
}

/** A question that waits for a person. */
export interface CardQuestion {
  /** Identifies the question in its run. */
  readonly key: string;
  readonly reason: string;
  readonly until: string;
  /** True if the question accepts a text answer. */
  readonly acceptsText: boolean;
  readonly choices: readonly { readonly choice: string; readonly title: string }[];
}

/** Outcome of a run. */
export interface CardResult {
  readonly title: string;
  readonly text: string;
  readonly status: 'completed' | 'failed' | 'skipped';
}

/** Model usage so far. */
export interface CardUsage {
  readonly calls: number;
  readonly tokens: number;
  /** Dollars; null: the price of a model is unknown. */
  readonly usd: number | null;
}

export interface RunCard {
  readonly title: string;
  readonly status: RunStatus;
  /** Note about the run: who cancels it, or why it was requeued; may be empty. */
  readonly note: string;
  readonly usage: CardUsage;
  readonly rows: readonly RunCardRow[];
  /** Row of each step, by the number of the step. */
  readonly rowOfStep: ReadonlyMap<number, number>;
  /** Contexts, turns and output checks of agents, notes, healed steps, files and manual control, oldest first. */
  readonly activity: readonly ActivityRow[];
  /** Number of rows that were dropped from the start of the activity. */
  readonly droppedActivity: number;
  /** True if the cancellation was requested. */
  readonly isCancelling: boolean;
  readonly question: CardQuestion | null;
  readonly result: CardResult | null;
}

/** Rows of the stages before the first step. Row 0 is the validation. */
export const QUEUE_ROW = 1;
export const START_ROW = 2;
const STAGES = 3;

/** A step that has not started. */
export interface PlannedStep {
  /** Number of the step in the run. */
  readonly index: number;
  readonly title: string;
}

/** The card of a run before its first event, with all known steps as pending. */
export function newRunCard(
  title: string,
  planned: readonly PlannedStep[],
  surface: SurfaceKind = DEFAULT_SURFACE,
): RunCard {
  const steps = planned.map((step): RunCardRow => ({ title: step.title, detail: '', status: 'pending' }));
  return {
    title,
    status: 'queued',
    note: '',
    usage: { calls: 0, tokens: 0, usd: 0 },
    rows: [
      // Only a valid run exists.
      { title: 'Validate workflow and inputs', detail: '', status: 'completed' },
      { title: 'Wait for a worker', detail: '', status: 'pending' },
      { title: surfaceTraits[surface].startTitle, detail: '', status: 'pending' },
      ...steps,
    ],
    rowOfStep: new Map(planned.map(({ index }, order) => [index, order + STAGES])),
    activity: [],
    droppedActivity: 0,
    isCancelling: false,
    question: null,
    result: null,
  };
}

/** Maximum characters of a result; the view of the run has the whole output. */
const MAX_RESULT_CHARS = 4_000;

/** Shortens a text to one line. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

/** Milliseconds for people: `812 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** An output as a text: words, everything else as JSON in a block of code. */
export function resultText(output: Json): string {
  if (output === null) return '';
  if (typeof output === 'string') return escapeMarkdown(output.slice(0, MAX_RESULT_CHARS));
  const json = JSON.stringify(output, null, 2);
  const text = json.length <= MAX_RESULT_CHARS ? json : `${json.slice(0, MAX_RESULT_CHARS)}\n…`;
  return `~~~~json\n${text.replaceAll('~~~~', '~~~\u200b~')}\n~~~~`;
}

/**
 * Escapes text from pages and models for Markdown components, so that it loads no images and creates no links. A zero-width character
 * breaks up link and HTML syntax.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/\](?=[([:])/g, ']\u200b')
    .replace(/<(?=[\w/!?])/g, '<\u200b')
    .replace(/(https?|ftp):\/\//gi, '$1:\u200b//')
    .replace(/www\./gi, 'www\u200b.');
