import { round } from './statistics.ts';

/** Amount of work: the least that uses every part, the usual form, or more rounds and longer loads. */
export type BenchSize = 'smoke' | 'short' | 'full';

/** Options of a benchmark. */
export interface BenchOptions {
  /** Folder with the bundles of the product. */
  readonly dist: string;
  /** A PostgreSQL server to use instead of a new one. */
  readonly database?: string;
  readonly size: BenchSize;
  /** Total number of typed characters. */
  readonly characters?: number;
  /** Minutes after which typing ends before all characters are typed, or of one try of a local model. */
  readonly minutes?: number;
  /** Names of the tasks to do; missing: all. */
  readonly tasks?: readonly string[] | undefined;
  /** Tries of each task or goal. */
  readonly times?: number | undefined;
  /** Load of the cores during tasks; missing: both. */
  readonly load?: 'quiet' | 'busy' | 'both' | undefined;
  /** Dialect of the agent tasks; missing: functions, through the complete product. */
  readonly dialect?: string | undefined;
  /** OpenAI-compatible server with `/v1`, and the name of its model. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  /** API key of the server. */
  readonly key?: string | undefined;
  /** Length of the prompts; missing: by the context of the model. */
  readonly profile?: 'full' | 'compact' | undefined;
  /** Arguments of Node for API and workers. */
  readonly node?: readonly string[];
  /** Reports progress. */
  log(line: string): void;
}

/** One figure and its target. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The target, and whether the figure meets it. */
  readonly target?: { readonly text: string; readonly isMet: boolean };
}

export interface BenchResult {
  readonly figures: readonly Figure[];
  /** All measurements. */
  readonly raw: object;
}

/** The value for the amount of work, such as a number of rounds. */
export const forSize = <Value>(
  { size }: Pick<BenchOptions, 'size'>,
  values: Readonly<Record<BenchSize, Value>>,
): Value => values[size];

export type Bench = (options: BenchOptions) => Promise<BenchResult>;

/** A figure with an upper limit; rounded only for display. */
export const atMost = (name: string, value: number, limit: number, unit: string): Figure => ({
  name,
  value: round(value, 3),
  unit,
  target: { text: `≤ ${limit}`, isMet: value <= limit },
});

/** A figure with a lower limit; rounded only for display. */
export const atLeast = (name: string, value: number, limit: number, unit: string): Figure => ({
  name,
  value: round(value, 3),
  unit,
  target: { text: `≥ ${limit}`, isMet: value >= limit },
});

/** A figure without a target. */
export const plain = (name: string, value: number, unit: string): Figure => ({ name, value, unit });
