import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds between two checks that a process has gone. */
const CHECK_INTERVAL_MS = 5;

/** A process, also after its id was given to another one. */
interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from the start of the machine to that of the process. */
  readonly startTime: string;
}

/**
 * The PID namespace of a session. Its first process is a child of `unshare`. When it ends, the kernel kills all others, and the first one
 * becomes a zombie after the last of them has gone. So its end proves that nothing is left.
 */
export class SessionNamespace {
  readonly #unshare: ChildProcess;
  readonly #timers: Timers;
  #first: ProcessIdentity | null = null;

  /** @param unshare `unshare --fork --kill-child` */
  constructor(unshare: ChildProcess, timers: Timers = systemTimers) {
    this.#unshare = unshare;
    this.#timers = timers;
  }

  /** Notes the first process, which later may be the only one that is left. */
  async findFirstProcess(): Promise<void> {
    const { pid } = this.#unshare;
    if (pid !== undefined) this.#first ??= await childOf(pid);
  }

  /**
   * Kills all processes. Never throws.
   * @returns id of the first process if it still exists after the timeout, or of `unshare` if the first process was never found
   */
  async end(timeoutMs: number): Promise<number[]> {
    // Ids are compared with start times: another session may get the id, or the number of the namespace, at once.
    await this.findFirstProcess().catch(() => undefined);
    const { pid, exitCode } = this.#unshare;
    this.#unshare.kill('SIGKILL');
    const first = this.#first;
    // `unshare` exits after its child. If it was killed before its child was found, nothing proves the end of the child.
    if (!first) return pid === undefined || exitCode !== null ? [] : [pid];
    const deadline = this.#timers.monotonic() + timeoutMs;
    while ((await statOf(first.pid))?.startTime === first.startTime) {
      if (this.#timers.monotonic() > deadline) return [first.pid];
      await this.#timers.delay(CHECK_INTERVAL_MS);
    }
    return [];
  }
}

async function childOf(parent: number): Promise<ProcessIdentity | null> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(pids.map(statOf));
  return processes.find((process) => process?.parent === parent) ?? null;
}

/** Reads `/proc/PID/stat` (proc(5)). @returns null if the process has ended, also if its parent has not collected it yet */
async function statOf(pid: number): Promise<(ProcessIdentity & { readonly parent: number }) | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program is in parentheses, and may contain blanks. Fields from the third on follow.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' || fields[0] === 'Z' ? null : { pid, parent: Number(fields[1]), startTime: fields[19] ?? '' };
}
