import { stopProcess, errorCode, isAlive, identifyProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { existsSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readJson, writeJson } from './json-file.ts';

/** Who runs the installation now, and with what. It is the lock: there is one while a supervisor lives. */
export interface RunRecord {
  supervisor: ProcessIdentity;
  startedAt: string;
  ready: boolean;
  urls: { api?: string; gateway?: string; site?: string; fleet?: string; console?: string };
  ports: Record<string, number>;
  /** The processes of the parts, so that the next start finds what a killed supervisor left. */
  parts: Record<string, ProcessIdentity>;
}

/** The record when its supervisor lives. */
export function runningRecord(file: string): RunRecord | undefined {
  const record = readJson<RunRecord>(file);
  return record && isAlive(record.supervisor) ? record : undefined;
}

/** Ends what a dead supervisor left. Answers the names of the parts that were still there. */
export async function endLeftovers(record: RunRecord): Promise<string[]> {
  const leftovers = Object.entries(record.parts).filter(([, mark]) => isAlive(mark));
  // PostgreSQL takes SIGTERM for "when the last client is gone"
  const signal = (name: string) => (name === 'PostgreSQL' ? 'SIGINT' : 'SIGTERM');
  await Promise.all(leftovers.map(([name, mark]) => stopProcess(mark, [{ signal: signal(name), graceMs: 25_000 }])));
  return leftovers.map(([name]) => name);
}

/** The lock in our hands. */
export class Lock {
  readonly record: RunRecord;
  readonly #file: string;

  private constructor(file: string, record: RunRecord) {
    this.#file = file;
    this.record = record;
  }

  /**
   * Takes the lock, or answers the record of the supervisor that has it. A record of a dead one is taken over and handed to `loadProgress`,
   * which cleans up.
   */
  static async take(file: string, leftBehind: (record: RunRecord) => Promise<void>): Promise<Lock | RunRecord> {
    const supervisor = identifyProcess(process.pid);
    if (!supervisor) throw new Error('Cannot read process start times (needed for the lock file).');
    const record: RunRecord = {
      supervisor,
      startedAt: new Date().toISOString(),
      ready: false,
      urls: {},
      ports: {},
      parts: {},
    };
    const own = `${file}.${process.pid}`;
    writeJson(own, record);
    try {
      for (;;) {
        if (linked(own, file)) return new Lock(file, record);
        const text = textOf(file);
        const holder = runningRecord(file);
        if (holder) return holder;
        if (text === undefined) continue;
        const stale = takeAway(file, text, own);
        if (stale) await leftBehind(stale);
      }
    } finally {
      rmSync(own, { force: true });
    }
  }

  /** Writes what changed in `record`. */
  save(): void {
    writeJson(this.#file, this.record);
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** A link is made by one process only, however many try. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Takes the stale record away. When another start was quicker and the file is a new one by now, it is put back. */
function takeAway(file: string, text: string, own: string): RunRecord | undefined {
  const aside = `${own}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== text) {
      linked(aside, file);
      return undefined;
    }
    return readJson<RunRecord>(aside) ?? { ...noParts };
  } finally {
    rmSync(aside, { force: true });
  }
}

const noParts: RunRecord = {
  supervisor: { pid: 0, born: '' },
  startedAt: '',
  ready: false,
  urls: {},
  ports: {},
  parts: {},
};
