import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Workspaces } from '../files/workspaces.ts';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { Worker } from '../worker.ts';

/** Identity and gateway of the workers. */
export interface LoadOptions {
  readonly gatewayUrl: string;
  readonly token: string;
  /** Prefix of the worker names. */
  readonly name: string;
  readonly count: number;
  /** Slots per worker. */
  readonly slots: number;
  readonly version: string;
}

/** Many workers that share only a process. */
export class WorkerGroup {
  /** Resolves when all workers have ended, with the errors of those that failed. */
  readonly completion: Promise<string[]>;
  private readonly workers: Worker[];

  constructor(options: LoadOptions, folders: Pick<Workspaces, 'create' | 'remove'>, clock: Clock, log: Log) {
    const { gatewayUrl: url, token, name, count, slots, version } = options;
    const shared = { version, surface: 'browser', slots, host: hostname().slice(0, 255), pid: process.pid } as const;
    this.workers = Array.from({ length: count }, (_, index) => {
      const identity = { ...shared, name: `${name}-${index + 1}`, incarnation: randomUUID() };
      return new Worker({
        url,
        token,
        identity,
        surfaceHost: new NullSurfaceHost(),
        workspaces: folders,
        clock,
        log,
      });
    });
    this.completion = Promise.allSettled(this.workers.map((worker) => worker.completion)).then((results) =>
      results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
    );
  }

  /** Drains all workers. @param graceMs after it, runs are handed back */
  drain(reason: string, graceMs: number): void {
    for (const worker of this.workers) worker.drain({ reason, graceMs });
  }
}
