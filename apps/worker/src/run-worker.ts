import type { Readable } from 'node:stream';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import { type Log, systemClock } from '@pilothouse/core/ports/runtime.port';
import { randomUUID } from 'node:crypto';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { useTemporaryFolder, type WorkerConfig } from '@pilothouse/infra-config';
import { Workspaces, workspaceEnvironment } from './files/workspaces.ts';
import { startSurfaceRuntime } from './surface/surface-host.ts';
import { MetricsBuffer } from './telemetry/metrics-buffer.ts';
import { Worker } from './worker.ts';

/**
 * Detects the exit of the parent process: the system then closes its end of our stdin. Does nothing if `isWatching` is false.
 * @param isWatching PILOTHOUSE_EXIT_WITH_PARENT: the parent keeps stdin open while it lives, and writes nothing
 * @param onParentExit called once after the parent exited; drains the worker
 * @returns stops watching
 */
export function watchParent(isWatching: boolean, stdin: Readable, onParentExit: () => void): () => void {
  if (!isWatching) return () => undefined;
  let isActive = true;
  const onEnd = () => {
    if (!isActive) return;
    isActive = false;
    onParentExit();
  };
  stdin.on('end', onEnd).on('close', onEnd).on('error', onEnd);
  if (stdin.readableEnded || stdin.destroyed) queueMicrotask(onEnd);
  // A paused stream emits no `end`.
  stdin.resume();
  return () => {
    isActive = false;
    stdin.off('end', onEnd).off('close', onEnd).off('error', onEnd);
    stdin.on('error', () => undefined);
    // A stopped watcher keeps no process alive.
    stdin.destroy();
  };
}

/**
 * Makes the kernel's OOM killer choose a page process instead of the worker.
 * It kills the process with the highest score: its memory, plus `oom_score_adj` thousandths of the limit. Kubernetes starts all processes
 * of a container with up to 999. Chromium lowers its own value to 0 and that of pages to 300, if permitted. The worker and its init would
 * keep the highest score, so one large page would end all runs of the worker. If no process may lower its value, all are equal and the
 * largest is killed.
 * @param pids as in `/proc`; default: this process, and the init of its container if that started it
 */
export function lowerOomScore(log: Log, pids: readonly string[] = ['self', ...(process.ppid === 1 ? ['1'] : [])]) {
  for (const pid of pids) {
    const file = `/proc/${pid}/oom_score_adj`;
    try {
      if (Number(readFileSync(file, 'utf8')) > 0) writeFileSync(file, '0');
    } catch (error) {
      log.debug({ file, error: String(error) }, 'out-of-memory score of the worker not lowered');
    }
  }
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Settings of a worker process, with its token. */
export type WorkerProcessConfig = Omit<WorkerConfig, 'tokenSource'> & { readonly token: string };

/**
 * Runs the worker process until it is drained. The first signal drains it. A second one hands back everything at once.
 * @returns the exit code: 0 when drained; 1 after a fatal error, which is logged
 */
export async function runWorkerProcess(
  config: WorkerProcessConfig,
  version: string,
  log: Log,
  wipeFreedTexts?: () => void,
): Promise<number> {
  const stop = new AbortController();
  let worker: Worker | undefined;
  const drain = (reason: string) => {
    if (stop.signal.aborted) return worker?.abort(reason);
    stop.abort(new Error(reason));
    worker?.drain({ reason, graceMs: config.drainGraceSeconds * 1000 });
  };
  for (const signal of signals) process.on(signal, () => drain(signal));
  lowerOomScore(log);
  const unwatch = watchParent(config.exitWithParent, process.stdin, () =>
    drain('The parent process of the worker exited'),
  );
  const root = config.dataDir ?? join(tmpdir(), `pilothouse-worker-${userInfo().uid}`);
  let folders: Workspaces | undefined;
  let surface: Awaited<ReturnType<typeof startSurfaceRuntime>> | undefined;
  let isBroken = false;
  try {
    folders = await Workspaces.open(root, process.pid, log);
    const metrics = new MetricsBuffer();
    const temporary = await folders.createTempFolder();
    useTemporaryFolder(temporary);
    const childEnvironment = { ...config.childEnvironment, ...workspaceEnvironment(folders.processFolder) };
    surface = await startSurfaceRuntime({ ...config, childEnvironment, temporary }, log, stop.signal, metrics);
    // A process that received a signal before the worker existed must not start one: the signal is not repeated.
    if (stop.signal.aborted) return 0;
    worker = new Worker({
      url: config.gatewayUrl,
      token: config.token,
      identity: {
        name: config.name ?? `${hostname()}-${process.pid}`.slice(0, 100),
        incarnation: randomUUID(),
        version,
        surface: surface.host.kind,
        slots: config.slots,
        host: hostname().slice(0, 255),
        pid: process.pid,
        ...(surface.egressEnforcement && { egressEnforcement: surface.egressEnforcement }),
      },
      surfaceHost: surface.host,
      ...(surface.maxRuns !== undefined && { maxRuns: surface.maxRuns }),
      ...(surface.egress && { egress: surface.egress }),
      allowedPrivateHosts: parseHostRules(config.egressAllowPrivate),
      trustedAuthorities: config.extraCaCerts,
      ffmpeg: { path: 'ffmpeg', environment: childEnvironment },
      workspaces: folders,
      ...(wipeFreedTexts && { wipeFreedTexts }),
      clock: systemClock,
      log,
      metrics,
    });
    const running = worker;
    void surface.displayExited.then(() => {
      if (stop.signal.aborted) return;
      isBroken = true;
      log.error({}, 'virtual display lost, worker hands back its runs and exits');
      running.abort('The display of the worker was lost');
    });
    await running.completion;
    return isBroken ? 1 : 0;
  } catch (thrown) {
    if (stop.signal.aborted && !worker) return 0;
    const { code, message } = toPilothouseError(thrown);
    log.error({ code }, message);
    return 1;
  } finally {
    stop.abort(new Error('The worker exited'));
    await surface?.close();
    await folders?.close();
    unwatch();
  }
}
