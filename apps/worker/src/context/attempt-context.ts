import type { Assignment, BrowserOptions } from '@pilothouse/contract';
import {
  Masker,
  checksRobotsTxt,
  profileOfRun,
  renderBrowser,
  type Clock,
  type EgressProxyFactory,
  type HostRule,
  type Log,
  type SurfaceHost,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { Workspaces } from '../files/workspaces.ts';
import { UploadQueue } from '../artifacts/upload-queue.ts';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import { RunProgress } from '../attempt/run-progress.ts';
import { RunEgress } from '../network/run-egress.ts';
import { EventBuffer, maskedLog } from '../attempt/event-buffer.ts';
import { StepOutcomes } from '../attempt/step-outcomes.ts';
import { SiteLimiter } from '../network/site-limiter.ts';
import { ProfileClient } from '../attempt/profile-client.ts';
import { ScreenshotRecorder } from '../artifacts/screenshot-recorder.ts';
import { RobotsTxtNotifier, type RobotsTxtCache } from '../network/robots-cache.ts';
import { parseSafePoint, SafePointTracker, type SafePointState } from '../attempt/safe-points.ts';
import { SecretInputs } from '../attempt/secret-inputs.ts';
import { DebugArtifacts } from '../artifacts/debug-artifacts.ts';
import type { FfmpegConfig } from '../artifacts/video-encoder.ts';
import { WorkTimer } from '../attempt/work-time.ts';

/** What a worker gives every attempt. */
export interface WorkerServices {
  /** The way out of the worker, for what is not a page. */
  readonly egress?: Pick<EgressProxyFactory, 'open'> | undefined;
  /** What it may reach although its address is not public. */
  readonly allowedPrivateHosts: readonly HostRule[];
  /** Certificates, PEM, of authorities that its requests trust besides the public ones. */
  readonly trustedAuthorities: readonly string[];
  /** What sites say in their robots.txt. */
  readonly robotsCache: RobotsTxtCache;
  readonly surfaceHost: Pick<SurfaceHost, 'open'>;
  readonly workspaces: Pick<Workspaces, 'create' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The gateway over HTTP: where transfers without a host lead. */
  readonly gatewayUrl: URL;
  readonly random: () => number;
  /** Whether it is the first run of the worker. */
  readonly isFirstRun: boolean;
  readonly metrics: Pick<MetricsBuffer, 'count' | 'observe' | 'add'>;
  /** What makes videos; undefined: nothing does. */
  readonly ffmpeg?: FfmpegConfig | undefined;
  /** Version of the worker. */
  readonly version: string;
}

/** What the tools ask of their attempt. */
export interface RunNow {
  /** Aborts when no step may go on. */
  readonly signal: AbortSignal;
  /** Number of the step at work, or next. */
  step(): number | null;
  stop(reason: unknown): void;
}

/** What one attempt works with: each of them knows its own subject, and the run loop what comes after what. */
export interface AttemptContext {
  readonly log: Log;
  readonly masker: Masker;
  readonly events: EventBuffer;
  readonly outcomes: StepOutcomes;
  readonly uploads: UploadQueue;
  readonly screenshots: ScreenshotRecorder;
  readonly debugArtifacts: DebugArtifacts;
  readonly progress: RunProgress;
  readonly secrets: SecretInputs;
  readonly egress: RunEgress;
  readonly siteLimiter: SiteLimiter;
  readonly profiles: ProfileClient;
  /** Null where robots.txt is not looked at. */
  readonly robots: RobotsTxtNotifier | null;
  readonly safePoints: SafePointTracker;
  /** What the attempt before left; null: nothing. */
  readonly restoredState: SafePointState | null;
  readonly time: WorkTimer;
  /** What the workflow says of the browser, with its templates and secrets replaced. */
  browserOptions(): Promise<BrowserOptions | undefined>;
  /** How the workflow calls its browser; undefined: as Chromium does. */
  userAgent(): string | undefined;
}

/** Makes the tools of an attempt. Nothing begins here. */
export function createAttemptContext(
  assignment: Assignment,
  link: AttemptLink,
  parts: WorkerServices,
  now: RunNow,
): AttemptContext {
  const { run, epoch, capture: record, definition } = assignment;
  const { clock, gatewayUrl, random, egress: way, allowedPrivateHosts, metrics, ffmpeg: encoder, version } = parts;
  const { signal, step } = now;
  const masker = new Masker();
  const log = maskedLog(parts.log, masker, { run, epoch });
  const events = new EventBuffer(link, masker, clock);
  const uploads = new UploadQueue({
    link,
    clock,
    base: gatewayUrl,
    random,
    onFailed: ({ name }, { code, message }) =>
      events.add('run.log', `${name} was not kept: ${message}`, { facts: { file: name, code } }, 'warn'),
  });
  const restoredState = assignment.safePoint && parseSafePoint(assignment.safePoint.state, definition.steps);
  const progress = new RunProgress(assignment, restoredState?.values ?? new Map());
  const secrets = new SecretInputs({ assignment, link, masker, clock, signal });
  const egress = new RunEgress({
    assignment,
    link,
    masker,
    events: events,
    clock,
    metrics,
    step,
    allowedPrivateHosts,
    egress: way,
  });
  const userAgent = () => {
    const { userAgent } = definition.browser ?? {};
    return userAgent === undefined ? undefined : renderBrowser({ userAgent }, progress.scope()).userAgent;
  };
  const robots = () =>
    new RobotsTxtNotifier({
      known: parts.robotsCache,
      events: events,
      proxy: () => egress.proxy(),
      trustedAuthorities: parts.trustedAuthorities,
      upstream: assignment.egress.run?.proxy?.server ?? '',
      userAgent,
      signal,
      step,
    });
  const { maskedValues } = progress;
  const sendAhead = link.sendSafePoint.bind(link);
  return {
    log,
    masker,
    events: events,
    outcomes: new StepOutcomes({ progress: progress, masker, events: events, metrics, clock }),
    uploads,
    screenshots: new ScreenshotRecorder({ capture: record, uploads, masker, clock, log, signal: link.lost }),
    debugArtifacts: new DebugArtifacts({
      capture: record,
      epoch,
      uploads,
      events: events,
      masker,
      log,
      ffmpeg: encoder,
      version,
    }),
    progress: progress,
    secrets,
    egress,
    siteLimiter: new SiteLimiter({ assignment, link, events: events, clock, metrics, step, signal }),
    profiles: new ProfileClient({
      assignment,
      link,
      events: events,
      clock,
      signal,
      own: () => profileOfRun(definition, progress.scope())?.name ?? null,
    }),
    robots: checksRobotsTxt({ project: assignment.politeness.project, workflow: definition.politeness })
      ? robots()
      : null,
    safePoints: new SafePointTracker(
      { hidden: maskedValues, clock, log, signal: link.lost, sendAhead },
      assignment.safePoint,
    ),
    restoredState: restoredState,
    time: new WorkTimer(assignment, clock, now.stop),
    browserOptions: async () => {
      if (!definition.browser) return undefined;
      const options = renderBrowser(definition.browser, progress.scope());
      const { httpCredentials } = options;
      if (!httpCredentials) return options;
      const reveal = (text: string) => secrets.reveal(text, httpCredentials.origin);
      const [username, password] = [await reveal(httpCredentials.username), await reveal(httpCredentials.password)];
      return { ...options, httpCredentials: { origin: httpCredentials.origin, username, password } };
    },
    userAgent,
  };
}
