import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/*
 * Attributes of a process that every process of its user may change, although it can neither read nor stop it: limits, and per thread the
 * nice value, the scheduling policy, the processors and the I/O priority. A lower priority or limit would slow down or break later sessions.
 * The kernel gives `oom_score_adj` of a process that cannot be read to root.
 */

/** Values by name, for example `thread nice: 0`. Threads with different values have all of them. */
export type ProcessAttributes = Readonly<Record<string, string>>;

/** Numbers of fields of /proc/<pid>/stat behind the name of the program (proc(5)). */
const STAT_FIELDS = { nice: 16, 'real-time priority': 37, policy: 38 } as const;

/** Options of prlimit(1) by the name in /proc/<pid>/limits. */
const LIMIT_OPTIONS: Readonly<Record<string, string>> = {
  'Max cpu time': 'cpu',
  'Max file size': 'fsize',
  'Max data size': 'data',
  'Max stack size': 'stack',
  'Max core file size': 'core',
  'Max resident set': 'rss',
  'Max processes': 'nproc',
  'Max open files': 'nofile',
  'Max locked memory': 'memlock',
  'Max address space': 'as',
  'Max file locks': 'locks',
  'Max pending signals': 'sigpending',
  'Max msgqueue size': 'msgqueue',
  'Max nice priority': 'nice',
  'Max realtime priority': 'rtprio',
  'Max realtime timeout': 'rttime',
};

const PROCESSORS = 'thread processors';
const IO_PRIORITY = 'thread I/O priority';

/** Attributes of a process and all of its threads. @throws Error without /proc or `ionice` */
export async function readAttributes(pid: number): Promise<ProcessAttributes> {
  const values = new Map<string, Set<string>>();
  const add = (name: string, value: string) => values.set(name, (values.get(name) ?? new Set()).add(value));
  for (const line of (await readFile(`/proc/${pid}/limits`, 'latin1')).split('\n').slice(1)) {
    const [name, soft, hard] = line.split(/ {2,}/);
    if (name && soft && hard) add(name, `${soft}:${hard}`);
  }
  const threads = await threadsOf(pid);
  for (const thread of threads) {
    const [stat, status] = await Promise.all(
      ['stat', 'status'].map((file) => readFile(`/proc/${pid}/task/${thread}/${file}`, 'latin1')),
    );
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    for (const [name, index] of Object.entries(STAT_FIELDS)) add(`thread ${name}`, fields[index] ?? '');
    add(PROCESSORS, /^Cpus_allowed:\t(.*)$/m.exec(status ?? '')?.[1] ?? '');
  }
  const { stdout } = await run('ionice', ['-p', ...threads]);
  // Without a class the number depends on the kernel, and has no effect.
  for (const line of stdout.trim().split('\n')) add(IO_PRIORITY, line.startsWith('none') ? 'none' : line.trim());
  return Object.fromEntries([...values].map(([name, set]) => [name, [...set].sort().join(', ')]));
}

/**
 * Sets changed attributes back, as far as a user without privileges can. Other processes of the user must not run.
 * @returns the attributes now. Processors may differ from the saved ones: the kubelet changes those of a container
 * @throws Error with what cannot be set back
 */
export async function restoreAttributes(pid: number, saved: ProcessAttributes): Promise<ProcessAttributes> {
  const found = changesOf(saved, await readAttributes(pid));
  if (found.length === 0) return saved;
  const threads = await threadsOf(pid);
  for (const name of found) {
    const option = LIMIT_OPTIONS[name];
    // The result is read again, so that errors do not matter.
    if (option) await run('prlimit', ['--pid', String(pid), `--${option}=${saved[name]}`]).catch(() => undefined);
    if (name === IO_PRIORITY) await run('ionice', ['-c', 'none', '-p', ...threads]).catch(() => undefined);
    // The kernel leaves out those that the container must not use.
    if (name === PROCESSORS) await run('taskset', ['-a', '-p', '-c', '0-1023', String(pid)]).catch(() => undefined);
  }
  const now = await readAttributes(pid);
  const left = changesOf(saved, now).filter((name) => name !== PROCESSORS || now[name]?.includes(', '));
  if (left.length > 0) {
    const texts = left.map((name) => `${name} ${saved[name] ?? 'none'} to ${now[name] ?? 'none'}`);
    throw new Error(`A program changed the supervisor of the slot: ${texts.join('; ')}`);
  }
  return now;
}

const changesOf = (saved: ProcessAttributes, now: ProcessAttributes): string[] =>
  [...new Set([...Object.keys(saved), ...Object.keys(now)])].filter((name) => saved[name] !== now[name]);

const threadsOf = (pid: number): Promise<string[]> => readdir(`/proc/${pid}/task`);

const run = promisify(execFile);
