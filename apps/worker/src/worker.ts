import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { HostRule } from '@pilothouse/core/egress/host-rules';
import type { EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { RunRegistry } from '@pilothouse/core/run/run-registry';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import {
  connectToGateway,
  type GatewayLink,
  type GatewayLinkOptions,
  type AssignmentOffer,
  type WorkerIdentity,
} from '@pilothouse/infra-link';
import type { WorkerServices } from './context/attempt-context.ts';
import type { Workspaces } from './files/workspaces.ts';
import { RobotsTxtCache } from './network/robots-txt.ts';
import type { AttemptResult } from './run/finish-attempt.ts';
import { RunLoop } from './run/run-loop.ts';
import { SlotLossWatch } from './run/slot-loss-watch.ts';
import type { FfmpegConfig } from './artifacts/video-encoder.ts';
import { MetricsReporter } from './telemetry/metrics-reporter.ts';
import { MetricsBuffer } from './telemetry/metrics-buffer.ts';

/** Milliseconds after the grace period in which a step may still reach its boundary. */
const STEP_BOUNDARY_GRACE_MS = 3_000;
/** Milliseconds to hand back everything. Remaining runs are recovered when their leases expire. */
const SHUTDOWN_MS = 10_000;
/** Milliseconds without new runs after a surface could not be opened; doubles each time. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Milliseconds from the end of a run until its secrets are wiped: requests and timers of the run release them first. */
const WIPE_DELAY_MS = 1_000;

export interface WorkerOptions extends Pick<
  GatewayLinkOptions,
  'url' | 'token' | 'validateOutgoing' | 'renewalTimeoutMs'
> {
  /** Fields of `hello`. Its slots limit the concurrent runs. */
  readonly identity: WorkerIdentity;
  readonly surfaceHost: Pick<SurfaceHost, 'open' | 'slotLoss'>;
  /** Runs after which the worker ends (default: no limit). */
  readonly maxRuns?: number;
  readonly workspaces: Pick<Workspaces, 'create' | 'remove'>;
  /** Egress of requests outside of pages. */
  readonly egress?: Pick<EgressProxyFactory, 'open'>;
  /** Hosts that runs may reach although their addresses are private (default: none). */
  readonly allowedPrivateHosts?: readonly HostRule[];
  /** Certificates (PEM) of authorities that requests trust in addition to the public ones (default: none). */
  readonly trustedAuthorities?: readonly string[];
  readonly clock: Clock;
  /** Default: the timers of the process. */
  readonly timers?: Timers;
  readonly log: Log;
  readonly random?: () => number;
  /** Encodes the videos of runs (default: none). */
  readonly ffmpeg?: FfmpegConfig;
  /** Overwrites texts that no object references any more. Called after runs with secrets. */
  readonly wipeFreedTexts?: () => void;
  /** Additional measurements, e.g. of the host. */
  readonly metrics?: MetricsBuffer;
}

/** A run in progress. */
interface ActiveRun {
  readonly loop: RunLoop;
  readonly done: Promise<void>;
}

export interface DrainOptions {
  readonly reason: string;
  /** Milliseconds in which runs may end before they are handed back; unset: no limit. */
  readonly graceMs?: number;
}

/** Takes runs for its free slots and executes them independently. */
export class Worker {
  /** Resolves when the worker has ended; rejects when the gateway refuses it permanently. */
  readonly completion: Promise<void>;
  private readonly options: WorkerOptions;
  private readonly link: GatewayLink;
  private readonly metrics: MetricsBuffer;
  private readonly reports: MetricsReporter;
  private readonly robotsCache: RobotsTxtCache;
  /** The gateway over HTTP. */
  private readonly gatewayUrl: URL;
  private readonly timers: Timers;
  private readonly stop = new AbortController();
  /** Runs by number, in the order of their start. */
  private readonly loops = new RunRegistry<number, ActiveRun>();
  private startedRuns = 0;
  private slots: number;
  private drainReason: string | undefined;
  private readonly lossWatch: SlotLossWatch | undefined;
  private readonly pendingTimers = new Set<Timer>();
  private isPaused = false;
  private isWipeScheduled = false;
  private isLeaving = false;
  private failures = 0;

  constructor(options: WorkerOptions) {
    this.options = options;
    const { identity, clock, log, url, token, random, validateOutgoing, renewalTimeoutMs } = options;
    this.slots = identity.slots;
    this.robotsCache = new RobotsTxtCache(clock);
    this.gatewayUrl = httpBase(url);
    this.timers = options.timers ?? systemTimers;
    this.link = connectToGateway({
      url,
      token,
      clock,
      log,
      random,
      validateOutgoing,
      renewalTimeoutMs,
      signal: this.stop.signal,
      hello: () => identity,
      onWelcome: ({ slots, fleet, session, metricsMs }) => {
        this.slots = Math.min(identity.slots, slots);
        log.info({ fleet, session, slots: this.slots }, 'gateway session opened');
        this.reportReady();
        this.reports.start(metricsMs);
      },
      onOffer: (offer) => this.onOffer(offer),
      onDrain: () => this.drain({ reason: 'The gateway requested a drain' }),
    });
    this.metrics = options.metrics ?? new MetricsBuffer();
    this.reports = new MetricsReporter(this.metrics, this.link, log);
    this.completion = this.link.completion.finally(() => this.cleanUp());
    this.lossWatch = this.watchSlots();
    // Callers that wait for the end get the error. Without one it must not crash the process.
    this.completion.catch(() => undefined);
  }

  /** Number of runs in progress. */
  get activeRuns(): number {
    return this.loops.size;
  }

  /** Accepts no new runs and ends when the last one has ended. A repeated call with a grace period restarts it. */
  drain({ reason, graceMs }: DrainOptions): void {
    if (this.drainReason === undefined)
      this.options.log.info({ busy: this.activeRuns, reason }, 'worker drain started');
    this.drainReason ??= reason;
    this.reportReady();
    if (graceMs !== undefined) {
      this.schedule(graceMs, () => this.forEachLoop((loop) => loop.drain(handedBackError(reason))));
      this.schedule(graceMs + STEP_BOUNDARY_GRACE_MS, () => this.abort(reason));
    }
    this.leaveWhenEmpty();
  }

  /** Hands back everything now. */
  abort(reason: string): void {
    this.drain({ reason });
    this.forEachLoop((loop) => loop.abort(handedBackError(reason)));
    this.schedule(SHUTDOWN_MS, () =>
      this.stop.abort(new PilothouseError('UNAVAILABLE', 'The worker is shutting down')),
    );
  }

  /** Drains when slots stay lost: the gateway counts them as capacity until another worker takes its place. */
  private watchSlots(): SlotLossWatch | undefined {
    const { slotLoss } = this.options.surfaceHost;
    const { slots } = this.options.identity;
    const onLimit = (count: number) =>
      this.drain({ reason: `Slots of the worker are lost and did not come back: ${count} of ${slots}` });
    return (
      slotLoss && new SlotLossWatch({ slotLoss, timers: this.timers, onChange: () => this.reportReady(), onLimit })
    );
  }

  private onOffer(offer: AssignmentOffer): void {
    const { clock, log } = this.options;
    if (this.freeSlots() === 0) {
      offer.refuse(handedBackError(this.drainReason ?? 'The worker has no free slot').view());
      return;
    }
    const { assignment } = offer;
    const link = offer.accept();
    this.startedRuns += 1;
    const number = this.startedRuns;
    const loop = new RunLoop(assignment, link, this.services(number === 1));
    const { run, epoch } = assignment;
    const startedAt = clock.monotonic();
    log.info({ run, epoch, workflow: assignment.definition.name }, 'run started');
    const done = loop.run().then((end) => {
      const ms = Math.round(clock.monotonic() - startedAt);
      log.info({ run, epoch, ending: end.result, code: end.error?.code ?? null, ms }, 'run ended');
      this.loops.delete(number);
      if (loop.hasSecrets) this.wipeSecrets();
      this.pauseAfterFailure(end);
      if (this.startedRuns >= this.maxRuns) this.drain({ reason: 'The worker has reached its limit of runs' });
      this.reportReady();
      this.leaveWhenEmpty();
    });
    this.loops.set(number, { loop, done });
    this.reportReady();
  }

  /** Wipes the secrets of runs that have ended. */
  private wipeSecrets(): void {
    const { wipeFreedTexts } = this.options;
    if (!wipeFreedTexts || this.isWipeScheduled) return;
    this.isWipeScheduled = true;
    this.schedule(WIPE_DELAY_MS, () => {
      this.isWipeScheduled = false;
      wipeFreedTexts();
    });
  }

  private services(isFirstRun: boolean): WorkerServices {
    const { surfaceHost, workspaces, egress, ffmpeg, identity, clock, log } = this.options;
    const { allowedPrivateHosts = [], trustedAuthorities = [], random = Math.random } = this.options;
    const { metrics, robotsCache, gatewayUrl, timers } = this;
    return {
      ...{ surfaceHost, workspaces, egress, ffmpeg, allowedPrivateHosts, trustedAuthorities },
      ...{ clock, timers, log, random, metrics, robotsCache, gatewayUrl, isFirstRun, version: identity.version },
    };
  }

  /** Pauses after a failure to open a surface. Otherwise the same runs would be assigned and fail repeatedly. */
  private pauseAfterFailure({ result, error }: AttemptResult): void {
    if (error?.code !== 'SURFACE_UNAVAILABLE') {
      if (result === 'complete') this.failures = 0;
      return;
    }
    const pause = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** this.failures);
    this.failures += 1;
    this.isPaused = true;
    this.options.log.warn({ pauseMs: pause, error: error.message }, 'surface not opened, new runs paused');
    this.schedule(pause, () => {
      this.isPaused = false;
      this.reportReady();
    });
  }

  private freeSlots(): number {
    if (this.drainReason !== undefined || this.isPaused) return 0;
    const usable = this.options.identity.slots - (this.options.surfaceHost.slotLoss?.count() ?? 0);
    const slots = Math.min(this.slots, usable);
    return Math.max(0, Math.min(slots - this.loops.size, this.maxRuns - this.startedRuns));
  }

  private get maxRuns(): number {
    return this.options.maxRuns ?? Infinity;
  }

  private reportReady(): void {
    this.link.ready(this.freeSlots());
  }

  private leaveWhenEmpty(): void {
    if (this.drainReason === undefined || this.loops.size > 0 || this.isLeaving) return;
    this.isLeaving = true;
    this.reports.send();
    void this.link.bye(this.drainReason);
  }

  private forEachLoop(callback: (loop: RunLoop) => void): void {
    for (const { loop } of this.loops.values()) callback(loop);
  }

  private schedule(ms: number, callback: () => void): void {
    if (this.stop.signal.aborted) return;
    const timer = this.timers.setTimeout(() => {
      this.pendingTimers.delete(timer);
      callback();
    }, ms);
    this.pendingTimers.add(timer);
  }

  private async cleanUp(): Promise<void> {
    this.reports.stop();
    this.lossWatch?.stop();
    for (const timer of this.pendingTimers) this.timers.clearTimeout(timer);
    this.stop.abort(new PilothouseError('UNAVAILABLE', 'The worker exited'));
    await Promise.all(this.loops.values().map(({ done }) => done));
  }
}

const handedBackError = (reason: string) => new PilothouseError('RUN_HANDED_BACK', reason);

/** Converts the address of the gateway to HTTP. */
function httpBase(url: string): URL {
  const base = new URL(url);
  base.protocol = base.protocol.replace(/^ws/, 'http');
  return base;
}
