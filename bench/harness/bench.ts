import { round } from './statistics.ts';

/** How a bench is to be run. */
export interface BenchOptions {
  /** Folder with the bundles of the product. */
  readonly dist: string;
  /** A PostgreSQL server to use instead of one of its own. */
  readonly database?: string;
  /** The long form: more rounds, and for the takeover five minutes of load. */
  readonly full: boolean;
  /** Arguments of Node for API and workers. */
  readonly node?: readonly string[];
  /** Says how far it is. */
  log(line: string): void;
}

/** One figure and what it should be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What is promised, and whether the figure keeps it. */
  readonly target?: { readonly text: string; readonly isMet: boolean };
}

export interface BenchResult {
  readonly figures: readonly Figure[];
  /** Everything that was measured. */
  readonly raw: object;
}

export type Bench = (options: BenchOptions) => Promise<BenchResult>;

/** A figure that is to be at most so much; rounded only to be shown. */
export const atMost = (name: string, value: number, limit: number, unit: string): Figure => ({
  name,
  value: round(value, 3),
  unit,
  target: { text: `≤ ${limit}`, isMet: value <= limit },
});

/** A figure that is to be at least so much; rounded only to be shown. */
export const atLeast = (name: string, value: number, limit: number, unit: string): Figure => ({
  name,
  value: round(value, 3),
  unit,
  target: { text: `≥ ${limit}`, isMet: value >= limit },
});

/** A figure that nothing is promised of. */
export const plain = (name: string, value: number, unit: string): Figure => ({ name, value, unit });
