import { stopProcess, errorCode, isAlive, identifyProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { existsSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readJson, writeJson } from '../installation/json-file.ts';

/** State of the running installation. The file is the lock: it exists while a supervisor runs. */
export interface RunRecord {
  supervisor: ProcessIdentity;
  startedAt: string;
  ready: boolean;
  urls: { api?: string; gateway?: string; site?: string; fleet?: string; jobs?: string; console?: string };
  ports: Record<string, number>;
  /** Processes of the services, so that the next start finds what a killed supervisor left. */
  services: Record<string, ProcessIdentity>;
}

/** The record if its supervisor is alive. */
export function runningRecord(file: string): RunRecord | undefined {
  const record = readJson<RunRecord>(file);
  return record && isAlive(record.supervisor) ? record : undefined;
}

/** Stops processes that a dead supervisor left. Returns the names of the services that were still running. */
export async function stopOrphans(record: RunRecord): Promise<string[]> {
  const orphans = Object.entries(record.services).filter(([, identity]) => isAlive(identity));
  // PostgreSQL waits for its clients on SIGTERM.
  const signal = (name: string) => (name === 'PostgreSQL' ? 'SIGINT' : 'SIGTERM');
  await Promise.all(
    orphans.map(([name, identity]) => stopProcess(identity, [{ signal: signal(name), graceMs: 25_000 }])),
  );
  return orphans.map(([name]) => name);
}

/** The acquired lock. */
export class Lock {
  readonly record: RunRecord;
  readonly #file: string;

  private constructor(file: string, record: RunRecord) {
    this.#file = file;
    this.record = record;
  }

  /** Acquires the lock, or returns the record of the supervisor that holds it. The record of a dead supervisor is passed to `cleanUp` first. */
  static async acquire(file: string, cleanUp: (record: RunRecord) => Promise<void>): Promise<Lock | RunRecord> {
    const supervisor = identifyProcess(process.pid);
    if (!supervisor) throw new Error('Cannot read process start times (needed for the lock file).');
    const record: RunRecord = {
      supervisor,
      startedAt: new Date().toISOString(),
      ready: false,
      urls: {},
      ports: {},
      services: {},
    };
    const candidateFile = `${file}.${process.pid}`;
    writeJson(candidateFile, record);
    try {
      for (;;) {
        if (tryLink(candidateFile, file)) return new Lock(file, record);
        const text = textOf(file);
        const holder = runningRecord(file);
        if (holder) return holder;
        if (text === undefined) continue;
        const stale = removeStale(file, text, candidateFile);
        if (stale) await cleanUp(stale);
      }
    } finally {
      rmSync(candidateFile, { force: true });
    }
  }

  /** Writes the changes of `record`. */
  save(): void {
    writeJson(this.#file, this.record);
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** Creates a hard link: only one process succeeds. */
function tryLink(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Removes a stale record. If another start has replaced it meanwhile, the new file is restored. */
function removeStale(file: string, text: string, candidateFile: string): RunRecord | undefined {
  const movedFile = `${candidateFile}.stale`;
  try {
    renameSync(file, movedFile);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    if (readFileSync(movedFile, 'utf8') !== text) {
      tryLink(movedFile, file);
      return undefined;
    }
    return readJson<RunRecord>(movedFile) ?? { ...emptyRecord };
  } finally {
    rmSync(movedFile, { force: true });
  }
}

const emptyRecord: RunRecord = {
  supervisor: { pid: 0, born: '' },
  startedAt: '',
  ready: false,
  urls: {},
  ports: {},
  services: {},
};
