import type { ConsoleLine } from '@pilothouse/contract/run/capture.schema';
import type { RunArtifact } from '../run-state.ts';

/** One network request. Sizes in bytes, times in milliseconds; -1: unknown. */
export interface NetworkRow {
  startedAt: string;
  method: string;
  url: string;
  /** 0: no response, see `statusText`. */
  status: number;
  statusText: string;
  type: string;
  size: number;
  ms: number;
}

/** Numbers of entries that are not shown. */
interface HiddenEntries {
  /** Entries of the file that exceed the maximum number of rows. */
  hiddenCount: number;
  /** Entries of the attempt that the worker did not record, at any time. */
  omitted: number;
  /** Entries that cannot be read. */
  damaged: number;
  /** Remark of the worker about omitted entries. */
  comment: string | null;
}

/** Rows of a log. */
export type DebugLog = ({ kind: 'console'; rows: ConsoleLine[] } | { kind: 'network'; rows: NetworkRow[] }) &
  HiddenEntries;

/** Kind of log that an artifact contains; undefined: not a log. */
export const debugLogKind = ({ kind, name }: Pick<RunArtifact, 'kind' | 'name'>): DebugLog['kind'] | undefined =>
  kind !== 'trace'
    ? undefined
    : /^console-\d+\.jsonl$/.test(name)
      ? 'console'
      : /\.har$/.test(name)
        ? 'network'
        : undefined;
