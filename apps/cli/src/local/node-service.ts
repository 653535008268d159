import { systemTimers } from '@pilothouse/core/time/timers';
import {
  OutputTail,
  spawnSupervised,
  waitUntilReady,
  type StopStep,
  type SystemUser,
} from '@pilothouse/infra-embedded';
import { join } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';
import { LogFile } from './log-file.ts';
import type { StartService } from './service-process.ts';

const READY_TIMEOUT_MS = 60_000;

/** Milliseconds after which a slow start is reported. */
const SLOW_START_MS = 15_000;

/** Probe that succeeds if the URL answers with a status below 400. */
export const httpProbe = (url: string) => async () => {
  const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
};

/** Work of a program before it can become ready. */
interface StartupWork {
  /** Succeeds when the work is done. */
  probe: () => Promise<void>;
  deadlineMs: number;
  /** Called if the work takes longer than `SLOW_START_MS`. */
  onSlow(log: string): void;
}

export interface NodeServiceOptions {
  end?: StopStep[];
  startup?: StartupWork;
  /** Default: the user who starts the installation. */
  user?: SystemUser | undefined;
}

/** A Node program of the installation with a log file, restarted by its `ServiceProcess`. */
export function nodeService(
  installation: Installation,
  app: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  probe: () => Promise<void>,
  { end = [{ signal: 'SIGTERM', graceMs: 10_000 }], startup, user }: NodeServiceOptions = {},
): StartService {
  const path = join(installation.logs, `${app}.log`);
  const log = new LogFile(path);
  return async (signal) => {
    const tail = new OutputTail();
    const child = await spawnSupervised({
      command: process.execPath,
      args: ['--enable-source-maps', installation.bundle(app), ...args],
      env,
      cwd: installation.root,
      ...user,
      stopSteps: end,
      onLine: (line) => {
        tail.push(line);
        log.write(line);
      },
    });
    const slowTimer = startup && systemTimers.setTimeout(() => startup.onSlow(path), SLOW_START_MS);
    try {
      if (startup) await waitUntilReady(app, child, tail, startup.probe, { deadlineMs: startup.deadlineMs, signal });
      systemTimers.clearTimeout(slowTimer);
      await waitUntilReady(app, child, tail, probe, { deadlineMs: READY_TIMEOUT_MS, signal });
    } catch (error) {
      await child.stop();
      throw error;
    } finally {
      systemTimers.clearTimeout(slowTimer);
    }
    return child;
  };
}
