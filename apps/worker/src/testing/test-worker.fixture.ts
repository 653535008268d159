import { randomUUID } from 'node:crypto';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { FLEET_TOKEN } from '@pilothouse/infra-link/testing';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { Workspaces } from '../files/workspaces.ts';
import { Worker, type WorkerOptions } from '../worker.ts';

/** Required settings of a test worker; all others can be overridden. */
type TestWorkerOptions = Pick<WorkerOptions, 'url' | 'surfaceHost'> &
  Partial<Pick<WorkerOptions, 'token' | 'log' | 'maxRuns' | 'allowedPrivateHosts' | 'ffmpeg' | 'timers'>> & {
    readonly surface?: SurfaceKind;
  };

/** Creates a worker in this process. @param root folder for its attempts */
export async function startWorker(
  root: string,
  { log = memoryLog(), surface = 'browser', ...options }: TestWorkerOptions,
  slots = 2,
): Promise<Worker> {
  return new Worker({
    token: FLEET_TOKEN,
    identity: {
      name: 'spec',
      incarnation: randomUUID(),
      version: '0',
      surface,
      slots,
      host: 'here',
      pid: process.pid,
    },
    workspaces: await Workspaces.open(root, process.pid, log),
    clock: systemClock,
    log,
    random: () => 0.1,
    validateOutgoing: true,
    ...options,
  });
}
