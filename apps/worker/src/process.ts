import { randomUUID } from 'node:crypto';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { toPilothouseError } from '@pilothouse/contract';
import { parseHostRules, systemClock, type Log } from '@pilothouse/core';
import { useTemporaryFolder, type WorkerConfig } from '@pilothouse/infra-config';
import { Workspaces } from './files/folders.ts';
import { workspaceEnvironment } from './files/leftovers.ts';
import { watchParent } from './parent.ts';
import { startSurfaceRuntime } from './surface/host.ts';
import { lowerOomScore } from './telemetry/oom.ts';
import { MetricsBuffer } from './telemetry/telemetry.ts';
import { Worker } from './worker.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The worker as a process: runs until it is drained. The first signal drains it, a second one has it hand back everything now.
 * @returns the exit code: 0 when it was drained, 1 when it could not go on, which the log then says
 */
export async function runWorkerProcess(config: WorkerConfig, version: string, log: Log): Promise<number> {
  const stop = new AbortController();
  let worker: Worker | undefined;
  const drain = (reason: string) => {
    if (stop.signal.aborted) return worker?.abort(reason);
    stop.abort(new Error(reason));
    worker?.drain({ reason, graceMs: config.drainSeconds * 1000 });
  };
  for (const signal of signals) process.on(signal, () => drain(signal));
  lowerOomScore(log);
  const unwatch = watchParent(config.parent, process.stdin, () => drain('The process that started the worker is gone'));
  const root = config.folder ?? join(tmpdir(), `pilothouse-worker-${userInfo().uid}`);
  let folders: Workspaces | undefined;
  let surface: Awaited<ReturnType<typeof startSurfaceRuntime>> | undefined;
  let isBroken = false;
  try {
    folders = await Workspaces.open(root, process.pid, log);
    const telemetry = new MetricsBuffer();
    const temporary = await folders.createTempFolder();
    useTemporaryFolder(temporary);
    const childEnvironment = { ...config.childEnvironment, ...workspaceEnvironment(folders.processFolder) };
    surface = await startSurfaceRuntime({ ...config, childEnvironment, temporary }, log, stop.signal, telemetry);
    // Who was told to end while there was no worker yet must not become one: nobody would tell it again.
    if (stop.signal.aborted) return 0;
    worker = new Worker({
      url: config.gatewayUrl,
      token: config.token,
      identity: {
        name: config.name ?? `${hostname()}-${process.pid}`.slice(0, 100),
        incarnation: randomUUID(),
        version,
        surface: 'browser',
        slots: config.slots,
        host: hostname().slice(0, 255),
        pid: process.pid,
      },
      surfaceHost: surface.host,
      ...(surface.egress && { egress: surface.egress }),
      allowedPrivateHosts: parseHostRules(config.egressPrivate),
      trustedAuthorities: config.authorities,
      ffmpeg: { path: 'ffmpeg', environment: childEnvironment },
      workspaces: folders,
      clock: systemClock,
      log,
      telemetry,
    });
    const running = worker;
    void surface.displayExited.then(() => {
      if (stop.signal.aborted) return;
      isBroken = true;
      log.error({}, 'the virtual display went away: the worker hands back its runs and ends');
      running.abort('The display of the worker went away');
    });
    await running.completion;
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
