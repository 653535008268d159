import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import { systemTimers } from '@pilothouse/core/time/timers';
import { identifyProcess, type StopStep, type ProcessIdentity } from './process-identity.ts';

/** Options of a child process. */
export interface ChildSpec {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Written to standard input, which is closed afterwards. */
  input?: string;
  /** Called for every output line, of both streams. */
  onLine: (line: string) => void;
  /** Signals in order; SIGKILL follows automatically. The child also receives the first one when the parent dies. */
  stopSteps: StopStep[];
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * A child process that ends with its parent where the system supports it (Linux). It is stopped in steps with
 * deadlines.
 */
export interface SupervisedChild {
  identity: ProcessIdentity;
  /** Resolves when the child has ended and all its lines are read. Never rejects. */
  exited: Promise<ChildExit>;
  /** Ends the child: one signal after another, each with its time limit. Resolves when it has ended. */
  stop(): Promise<ChildExit>;
}

/** Path of a program in the PATH. Undefined when it is not found. */
export function findProgram(name: string): string | undefined {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
  return stdout.trim() || undefined;
}

let setprivPath: string | false | undefined;
/** setpriv of util-linux makes the kernel signal the child when its parent dies, even by SIGKILL. */
function findSetpriv(): string | false {
  if (setprivPath !== undefined) return setprivPath;
  const setpriv = process.platform === 'linux' && findProgram('setpriv');
  setprivPath =
    setpriv && spawnSync(setpriv, ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore' }).status === 0 && setpriv;
  return setprivPath || false;
}

/** Starts a child. Throws when the command cannot be started. */
export async function spawnSupervised(spec: ChildSpec): Promise<SupervisedChild> {
  const parentDeathSignal = spec.stopSteps[0]?.signal.replace('SIG', '') ?? 'TERM';
  const setpriv = findSetpriv();
  const [command, args] = setpriv
    ? [setpriv, ['--pdeathsig', parentDeathSignal, spec.command, ...spec.args]]
    : [spec.command, spec.args];
  const child = spawn(command, args, {
    env: spec.env,
    cwd: spec.cwd,
    uid: spec.uid,
    gid: spec.gid,
    stdio: ['pipe', 'pipe', 'pipe'],
    // a separate process group: Ctrl-C reaches only the parent, which stops the children in the right order
    detached: true,
  });
  child.stdin.on('error', () => undefined); // the child may exit before it has read everything
  child.stdin.end(spec.input ?? '');
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', spec.onLine);

  const exited = new Promise<ChildExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    // a grandchild that inherited the streams may hold them open; then `exit` counts
    child.once('exit', (code, signal) => systemTimers.setTimeout(() => resolve({ code, signal }), 300).unref());
  });
  await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error as Error))]);
  const pid = child.pid ?? 0;
  let hasExited = false;
  void exited.then(() => (hasExited = true));

  const stop = async () => {
    for (const { signal, graceMs } of [...spec.stopSteps, { signal: 'SIGKILL' as const, graceMs: 5000 }]) {
      if (hasExited) break;
      child.kill(signal);
      await settlesWithin(exited, graceMs);
    }
    return exited;
  };
  return { identity: identifyProcess(pid) ?? { pid, born: 'gone' }, exited, stop };
}
