import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemTimers, settlesWithin } from '@pilothouse/core';
import { identifyProcess, type StopStep, type ProcessIdentity } from './process-identity.ts';

/** What is started. */
export interface ChildSpec {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Written to its standard input, which is closed then. */
  input?: string;
  /** Every line that it writes, of both streams. */
  onLine: (line: string) => void;
  /** How it is asked to end, in order; SIGKILL follows by itself. The first signal is also what it gets when we die. */
  end: StopStep[];
}

/** How a child ended. */
export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process that does not outlive us where the system can promise it (Linux), and ends in steps with deadlines. */
export interface SupervisedChild {
  mark: ProcessIdentity;
  /** Settles when it has ended and all its lines were read; never rejects. */
  exited: Promise<ChildExit>;
  /** Ends it: signal after signal, each with its time. Settles when it is gone. */
  stop(): Promise<ChildExit>;
}

/** Where a program of the PATH is; undefined when it is not there. */
export function findProgram(name: string): string | undefined {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
  return stdout.trim() || undefined;
}

let guard: string | false | undefined;
/** util-linux's setpriv makes the kernel signal the child when its parent dies, even by SIGKILL. */
function guardPath(): string | false {
  if (guard !== undefined) return guard;
  const setpriv = process.platform === 'linux' && findProgram('setpriv');
  guard = setpriv && spawnSync(setpriv, ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore' }).status === 0 && setpriv;
  return guard || false;
}

/** Starts a child. Throws when the command cannot be started. */
export async function spawnSupervised(spec: ChildSpec): Promise<SupervisedChild> {
  const lastWish = spec.end[0]?.signal.replace('SIG', '') ?? 'TERM';
  const setpriv = guardPath();
  const [command, args] = setpriv
    ? [setpriv, ['--pdeathsig', lastWish, spec.command, ...spec.args]]
    : [spec.command, spec.args];
  const child = spawn(command, args, {
    env: spec.env,
    cwd: spec.cwd,
    uid: spec.uid,
    gid: spec.gid,
    stdio: ['pipe', 'pipe', 'pipe'],
    // a group of its own: Ctrl-C in the terminal reaches only us, and we end the children in the right order
    detached: true,
  });
  child.stdin.on('error', () => undefined); // it may end before it has read everything
  child.stdin.end(spec.input ?? '');
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', spec.onLine);

  const exited = new Promise<ChildExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    // a grandchild that inherited the streams may keep them open: then its end is the end
    child.once('exit', (code, signal) => systemTimers.setTimeout(() => resolve({ code, signal }), 300).unref());
  });
  await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error as Error))]);
  const pid = child.pid ?? 0;
  let gone = false;
  void exited.then(() => (gone = true));

  const stop = async () => {
    for (const { signal, graceMs } of [...spec.end, { signal: 'SIGKILL' as const, graceMs: 5000 }]) {
      if (gone) break;
      child.kill(signal);
      await settlesWithin(exited, graceMs);
    }
    return exited;
  };
  return { mark: identifyProcess(pid) ?? { pid, born: 'gone' }, exited, stop };
}
