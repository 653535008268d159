import { randomUUID } from 'node:crypto';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { toPilothouseError } from '@pilothouse/contract';
import { readPatterns, systemClock, type Log } from '@pilothouse/core';
import { useTemporaryFolder, type WorkerConfig } from '@pilothouse/infra-config';
import { Folders } from './files/folders.ts';
import { markOf } from './files/leftovers.ts';
import { watchParent } from './parent.ts';
import { startSurface } from './surface/host.ts';
import { letPagesGoFirst } from './telemetry/oom.ts';
import { Telemetry } from './telemetry/telemetry.ts';
import { Worker } from './worker.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The worker as a process: runs until it is drained. The first signal drains it, a second one has it hand back everything now.
 * @returns the exit code: 0 when it was drained, 1 when it could not go on, which the log then says
 */
export async function runWorker(config: WorkerConfig, version: string, log: Log): Promise<number> {
  const stop = new AbortController();
  let worker: Worker | undefined;
  const drain = (reason: string) => {
    if (stop.signal.aborted) return worker?.leaveNow(reason);
    stop.abort(new Error(reason));
    worker?.drain({ reason, graceMs: config.drainSeconds * 1000 });
  };
  for (const signal of signals) process.on(signal, () => drain(signal));
  letPagesGoFirst(log);
  const unwatch = watchParent(config.parent, process.stdin, () => drain('The process that started the worker is gone'));
  const root = config.folder ?? join(tmpdir(), `pilothouse-worker-${userInfo().uid}`);
  let folders: Folders | undefined;
  let surface: Awaited<ReturnType<typeof startSurface>> | undefined;
  let isBroken = false;
  try {
    folders = await Folders.open(root, process.pid, log);
    const telemetry = new Telemetry();
    const temporary = await folders.temporary();
    useTemporaryFolder(temporary);
    const childEnvironment = { ...config.childEnvironment, ...markOf(folders.own) };
    surface = await startSurface({ ...config, childEnvironment, temporary }, log, stop.signal, telemetry);
    // Who was told to end while there was no worker yet must not become one: nobody would tell it again.
    if (stop.signal.aborted) return 0;
    worker = new Worker({
      url: config.gatewayUrl,
      token: config.token,
      facts: {
        name: config.name ?? `${hostname()}-${process.pid}`.slice(0, 100),
        incarnation: randomUUID(),
        version,
        surface: 'browser',
        slots: config.slots,
        host: hostname().slice(0, 255),
        pid: process.pid,
      },
      host: surface.host,
      ...(surface.egress && { egress: surface.egress }),
      reach: readPatterns(config.egressPrivate),
      authorities: config.authorities,
      encoder: { path: 'ffmpeg', environment: childEnvironment },
      folders,
      clock: systemClock,
      log,
      telemetry,
    });
    const running = worker;
    void surface.gone.then(() => {
      if (stop.signal.aborted) return;
      isBroken = true;
      log.error({}, 'the virtual display went away: the worker hands back its runs and ends');
      running.leaveNow('The display of the worker went away');
    });
    await running.ended;
    return isBroken ? 1 : 0;
  } catch (thrown) {
    if (stop.signal.aborted && !worker) return 0;
    const { code, message } = toPilothouseError(thrown);
    log.error({ code }, message);
    return 1;
  } finally {
    stop.abort(new Error('The worker has ended'));
    await surface?.close();
    await folders?.close();
    unwatch();
  }
}
