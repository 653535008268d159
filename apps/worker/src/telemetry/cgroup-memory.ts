import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of memory events that a cgroup counts. */
export type CgroupMemoryEvent = 'high' | 'max' | 'oom' | 'oom_kill';

/** Memory of this process's cgroup, as reported by the kernel. */
export interface CgroupMemory {
  /** Bytes in use, without reclaimable page cache if the kernel reports it. */
  readonly used: number;
  /** Bytes; null: the cgroup has no limit. */
  readonly limit: number | null;
  /** Counts since the cgroup was created; version 1 counts fewer kinds. */
  readonly events: Readonly<Partial<Record<CgroupMemoryEvent, number>>>;
}

/** Values from here on mean no limit: version 1 reports a number of this size. */
const NO_LIMIT = 2 ** 60;

/** Reads a file; undefined: it does not exist. */
export type ReadFile = (path: string) => string | undefined;

const readText: ReadFile = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/**
 * Reads the memory of this process's cgroup, version 2 or 1; null: none reports it. It is the only place that shows a renderer killed
 * alone: the container continues.
 */
export function readCgroupMemory(read: ReadFile = readText): CgroupMemory | null {
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers, path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    // In a container the path is that of the host, but the container's own cgroup is mounted.
    const folders = (mount: string) => [join(mount, path), mount];
    const found =
      controllers === ''
        ? first(folders('/sys/fs/cgroup'), (folder) => version2(folder, read))
        : controllers?.split(',').includes('memory')
          ? first(folders('/sys/fs/cgroup/memory'), (folder) => version1(folder, read))
          : null;
    if (found) return found;
  }
  return null;
}

function version2(folder: string, read: ReadFile): CgroupMemory | null {
  const [events, used] = [read(join(folder, 'memory.events')), read(join(folder, 'memory.current'))];
  if (events === undefined || used === undefined) return null;
  const cache = numberAfter('inactive_file', read(join(folder, 'memory.stat'))) ?? 0;
  const kinds: CgroupMemoryEvent[] = ['high', 'max', 'oom', 'oom_kill'];
  return {
    used: Math.max(0, Number(used) - cache),
    limit: limitOf(read(join(folder, 'memory.max'))),
    events: Object.fromEntries(kinds.map((kind) => [kind, numberAfter(kind, events) ?? 0])),
  };
}

function version1(folder: string, read: ReadFile): CgroupMemory | null {
  const [control, used] = [read(join(folder, 'memory.oom_control')), read(join(folder, 'memory.usage_in_bytes'))];
  const kills = numberAfter('oom_kill', control);
  if (kills === undefined || used === undefined) return null;
  const cache = numberAfter('total_inactive_file', read(join(folder, 'memory.stat'))) ?? 0;
  const failures = Number(read(join(folder, 'memory.failcnt')) ?? 0);
  return {
    used: Math.max(0, Number(used) - cache),
    limit: limitOf(read(join(folder, 'memory.limit_in_bytes'))),
    events: { max: failures, oom_kill: kills },
  };
}

const numberAfter = (name: string, text: string | undefined): number | undefined => {
  const line = text?.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  const found = line?.slice(name.length + 1);
  return found !== undefined && /^\d+$/.test(found) ? Number(found) : undefined;
};

/** Parses a limit: "max", or a number that means none, is null. */
function limitOf(text: string | undefined): number | null {
  const limit = Number(text);
  return Number.isFinite(limit) && limit > 0 && limit < NO_LIMIT ? limit : null;
}

function first<In, Out>(inputs: readonly In[], convert: (input: In) => Out | null): Out | null {
  for (const input of inputs) {
    const found = convert(input);
    if (found !== null) return found;
  }
  return null;
}
