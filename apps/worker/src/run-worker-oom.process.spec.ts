import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { lowerOomScore } from './run-worker.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const points = (pid: string) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));

describe('the OOM score on Linux', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  });

  async function processWith(adjusted: number): Promise<string> {
    const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    children.push(child);
    await once(child, 'spawn');
    // A process that raises its score may lower it again.
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, String(adjusted));
    return String(child.pid);
  }

  test('of the worker contains only its memory', async () => {
    const pid = await processWith(500);
    expect(points(pid)).toBe(500);
    lowerOomScore(quiet, [pid]);
    expect(points(pid)).toBe(0);
  });

  test('of an exited or foreign process is ignored', () => {
    expect(() => lowerOomScore(quiet, ['0', 'none'])).not.toThrow();
  });
});
