import { readFileSync, writeFileSync } from 'node:fs';
import type { Log } from '@pilothouse/core';

/**
 * Has the kernel take the process of a page, not the worker, when the memory of its container runs out.
 *
 * It takes the process with the most points: its memory, and `oom_score_adj` thousandths of the limit. Kubernetes starts all processes of a
 * container with up to 999. Chromium lowers its own to 0 and those of pages to 300, where it may; the worker and the init above it would stay
 * at the top, and one greedy page ends all runs of the worker. Where nobody may lower anything all are equal, and the largest goes.
 *
 * @param pids as in `/proc`; left out: this process, and the init of its container if that started it
 */
export function lowerOomScore(log: Log, pids: readonly string[] = ['self', ...(process.ppid === 1 ? ['1'] : [])]) {
  for (const pid of pids) {
    const file = `/proc/${pid}/oom_score_adj`;
    try {
      if (Number(readFileSync(file, 'utf8')) > 0) writeFileSync(file, '0');
    } catch (error) {
      log.debug({ file, error: String(error) }, 'the kernel may take this process for that of a page');
    }
  }
}
