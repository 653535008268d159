import {
  type Clock,
  type DialogWatch,
  type Log,
  type OpenOptions,
  type Surface,
  type SurfaceFile,
  type SurfaceHost,
  linkAbort,
  needsResponses,
  raceAbort,
  withDeadline,
  withTimeout,
} from '@pilothouse/core';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import { type Assignment, toPilothouseError } from '@pilothouse/contract';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import type { ActionScope } from '../actions/run-action.ts';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { LiveView } from './live-view.ts';
import type { RunCancellation } from '../attempt/cancellation.ts';
import type { WorkerServices, AttemptContext } from './attempt-context.ts';

/** Milliseconds for the files that the last steps asked for. */
const FILES_MS = 30_000;

interface LastFilesParts {
  readonly events: Pick<EventBuffer, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when no step may go on. */
  readonly signal: AbortSignal;
}

/** Waits for the files that the steps asked for, and says which did not come whole in time. @throws the reason of `halt` */
export async function awaitDownloads(surface: Surface, { events, clock, log, signal }: LastFilesParts): Promise<void> {
  const context = { signal, deadline: clock.monotonic() + FILES_MS, log };
  for (const name of await raceAbort(surface.filesKept(context), signal)) {
    const message = `${name} was not kept: it did not come whole within ${FILES_MS / 1000} s after the last step`;
    events.add('run.log', message, { facts: { file: name } }, 'warn');
  }
}

/** Milliseconds for opening a surface, and for bringing it back to a safe point. */
const OPEN_MS = 30_000;
const RESTORE_MS = 30_000;

interface OpeningParts {
  readonly host: Pick<SurfaceHost, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
  readonly metrics: Pick<MetricsBuffer, 'observe'>;
}

/** Opens a surface for an attempt. @throws PilothouseError SURFACE_UNAVAILABLE, or the reason of the signal */
export async function openSurface(
  options: OpenOptions,
  { host, clock, log, signal, metrics }: OpeningParts,
): Promise<Surface> {
  const began = clock.monotonic();
  const took = (result: 'opened' | 'failed') =>
    metrics.observe('worker_surface_open_seconds', { result }, clock.monotonic() - began);
  const opening = host.open(options, { signal, deadline: began + OPEN_MS, log });
  opening.catch(() => undefined);
  try {
    const surface = await raceAbort(withTimeout(opening, OPEN_MS), signal);
    took('opened');
    return surface;
  } catch (thrown) {
    // It may still open: then nobody wants it.
    void opening.then((late) => late.close()).catch(() => undefined);
    signal.throwIfAborted();
    took('failed');
    throw toPilothouseError(thrown, 'SURFACE_UNAVAILABLE');
  }
}

/**
 * Brings a new surface back to a safe point, while the lease is held.
 * @throws as `Surface.restore`; the reason of `halt`; PilothouseError LEASE_LOST when the lease ran out meanwhile
 */
export async function restoreSurface(
  state: string,
  { surface, lease, signal, assertCanAct: mayAct, clock, log }: ActionScope,
): Promise<void> {
  await lease.waitUntilHeld(signal);
  const guard = () => {
    mayAct();
    lease.assertHeld();
  };
  await withDeadline(RESTORE_MS, signal, (signal) =>
    surface.restore(state, { signal, deadline: clock.monotonic() + RESTORE_MS, log, guard }),
  ).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw toPilothouseError(thrown, 'NAVIGATION_FAILED');
  });
}

/** Milliseconds for asking where the surface is. */
const ANCHORS_MS = 2_000;

export interface AttemptSurfaceParts {
  readonly assignment: Assignment;
  readonly link: AttemptLink;
  readonly parts: WorkerServices;
  readonly tools: AttemptContext;
  readonly stops: RunCancellation;
  readonly dialogs: DialogWatch;
}

/** The surface of an attempt, from its opening to its end, with what is looked at and kept of it. */
export class SurfaceSession {
  private readonly parts: AttemptSurfaceParts;
  private readonly live: LiveView;
  private readonly files = new Set<Promise<void>>();
  private readonly ties: (() => void)[] = [];
  private opened: Surface | undefined;

  constructor(parts: AttemptSurfaceParts) {
    this.parts = parts;
    this.live = new LiveView(parts.link);
  }

  /** Undefined as long as it opens. */
  get current(): Surface | undefined {
    return this.opened;
  }

  /**
   * @param restores whether it is brought to a safe point: then it begins empty
   * @param step number of the step at work, or next
   */
  async open(folder: string, restores: boolean, step: () => number | null): Promise<Surface> {
    const { assignment, tools, stops, dialogs } = this.parts;
    const { surfaceHost: host, clock, metrics } = this.parts.parts;
    const [browser, profile] = await Promise.all([
      tools.browserOptions(),
      restores ? undefined : tools.profiles.load(),
    ]);
    const watch = { ...tools.debugArtifacts.surfaceHooks(folder), dialogs };
    const options = {
      folder,
      onFile: (file: SurfaceFile) => this.keep(file, step()),
      keepResponses: needsResponses(assignment.definition),
      egress: tools.egress.pass,
      ...(browser && { browser }),
      ...(profile && { profile }),
      watch,
    };
    const surface = await openSurface(options, { host, clock, log: tools.log, signal: stops.signal, metrics });
    this.opened = surface;
    this.live.attach(surface);
    metrics.add('worker_surfaces_open', 1);
    this.ties.push(linkAbort(surface.lost, (reason) => stops.abort(toPilothouseError(reason, 'SURFACE_LOST'))));
    await hit('worker.opened', assignment.run);
    return surface;
  }

  /** The page that a takeover brought back, or that a step left when it failed. */
  async recordPage(surface: Surface): Promise<void> {
    const { tools, stops, parts } = this.parts;
    if (!tools.siteLimiter.isEnabled) return;
    const { clock, log } = parts;
    const context = { signal: stops.signal, deadline: clock.monotonic() + ANCHORS_MS, log };
    const page = await surface.anchors(context).catch(() => null);
    tools.siteLimiter.release(null, page?.url ?? null);
  }

  /** Files that the last steps asked for. */
  async lastFiles(): Promise<void> {
    const { tools, stops, parts } = this.parts;
    const { events, log } = tools;
    if (this.opened) await awaitDownloads(this.opened, { events, log, clock: parts.clock, signal: stops.signal });
  }

  /** Resolves when all files that came are on their way. */
  async fileHandlersDone(): Promise<void> {
    await Promise.all(this.files);
  }

  async close(): Promise<void> {
    if (this.opened) {
      await this.opened.close();
      this.parts.parts.metrics.add('worker_surfaces_open', -1);
    }
    this.live.close();
    for (const untie of this.ties) untie();
  }

  private keep(file: SurfaceFile, step: number | null): void {
    const kept = this.parts.tools.screenshots.UploadQueue(file, step).finally(() => this.files.delete(kept));
    this.files.add(kept);
  }
}
