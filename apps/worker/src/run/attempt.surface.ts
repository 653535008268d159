import { toPilothouseError, type Assignment } from '@pilothouse/contract';
import { needsResponses, type DialogWatch, type Surface, type SurfaceFile } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { awaitDownloads } from './last-files.ts';
import { LiveView } from './live.ts';
import { openSurface } from './opening.ts';
import type { RunCancellation } from './stops.ts';
import type { WorkerServices, AttemptContext } from './tools.ts';
import { linkAbort } from './waits.ts';

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
    const { host, clock, telemetry } = this.parts.parts;
    const [browser, profile] = await Promise.all([
      tools.browserOptions(),
      restores ? undefined : tools.profiles.load(),
    ]);
    const watch = { ...tools.traces.surfaceHooks(folder), dialogs };
    const options = {
      folder,
      onFile: (file: SurfaceFile) => this.keep(file, step()),
      keepResponses: needsResponses(assignment.definition),
      egress: tools.egress.pass,
      ...(browser && { browser }),
      ...(profile && { profile }),
      watch,
    };
    const surface = await openSurface(options, { host, clock, log: tools.log, signal: stops.signal, telemetry });
    this.opened = surface;
    this.live.attach(surface);
    telemetry.add('worker_surfaces_open', 1);
    this.ties.push(linkAbort(surface.lost, (reason) => stops.abort(toPilothouseError(reason, 'SURFACE_LOST'))));
    await hit('worker.opened', assignment.run);
    return surface;
  }

  /** The page that a takeover brought back, or that a step left when it failed. */
  async recordPage(surface: Surface): Promise<void> {
    const { tools, stops, parts } = this.parts;
    if (!tools.politeness.isEnabled) return;
    const { clock, log } = parts;
    const context = { signal: stops.signal, deadline: clock.monotonic() + ANCHORS_MS, log };
    const page = await surface.anchors(context).catch(() => null);
    tools.politeness.release(null, page?.url ?? null);
  }

  /** Files that the last steps asked for. */
  async lastFiles(): Promise<void> {
    const { tools, stops, parts } = this.parts;
    const { reporter, log } = tools;
    if (this.opened) await awaitDownloads(this.opened, { reporter, log, clock: parts.clock, halt: stops.signal });
  }

  /** Resolves when all files that came are on their way. */
  async fileHandlersDone(): Promise<void> {
    await Promise.all(this.files);
  }

  async close(): Promise<void> {
    if (this.opened) {
      await this.opened.close();
      this.parts.parts.telemetry.add('worker_surfaces_open', -1);
    }
    this.live.close();
    for (const untie of this.ties) untie();
  }

  private keep(file: SurfaceFile, step: number | null): void {
    const kept = this.parts.tools.recorder.UploadQueue(file, step).finally(() => this.files.delete(kept));
    this.files.add(kept);
  }
}
