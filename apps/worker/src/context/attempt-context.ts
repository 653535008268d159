import { MAX_MESSAGE_CHARS } from '@pilothouse/contract/events/event-log.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { checksRobotsTxt } from '@pilothouse/core/politeness/site-limits';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Surface, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { Masker } from '@pilothouse/core/secret/secret-masker';
import { renderBrowser, type TemplateScope } from '@pilothouse/core/workflow/secret-placeholders';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { StepResult } from '../actions/run-action.ts';
import type { ActionScope } from '../actions/action-scope.ts';
import { DebugArtifacts } from '../artifacts/debug-artifacts.ts';
import { ScreenshotRecorder } from '../artifacts/screenshot-recorder.ts';
import { ArtifactUploader } from '../artifacts/artifact-uploader.ts';
import { UploadQueue } from '../artifacts/upload-queue.ts';
import type { FfmpegConfig } from '../artifacts/video-encoder.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { BudgetGuard } from '../attempt/budget-guard.ts';
import { RunCancellation } from '../attempt/cancellation.ts';
import { EventBuffer, maskedLog } from '../attempt/event-buffer.ts';
import { ProfileClient } from '../attempt/profile-client.ts';
import { RunProgress } from '../attempt/run-progress.ts';
import { parseSafePoint, SafePointTracker, type SafePointState } from '../attempt/safe-points.ts';
import { SecretInputs } from '../attempt/secret-inputs.ts';
import { StepOutcomes } from '../attempt/step-outcomes.ts';
import type { RunningStep } from '../attempt/running-step.ts';
import { ManualControl } from '../control/manual-control.ts';
import { InputFiles } from '../files/input-files.ts';
import type { Workspaces } from '../files/workspaces.ts';
import type { RequestRoute } from '../network/http-request.ts';
import { RobotsTxtNotifier, type RobotsTxtCache } from '../network/robots-txt.ts';
import { RunEgress, type WorkerEgressOptions } from '../network/run-egress.ts';
import { SiteLimiter } from '../network/site-limiter.ts';
import { PersonTurns } from '../turns/person-turns.ts';
import { TurnStore } from '../turns/turn-store.ts';
import { SurfaceSession } from './surface-session.ts';

/** Services of the worker process, shared by all attempts. */
export interface WorkerServices extends WorkerEgressOptions {
  /** Certificates (PEM) of authorities that requests trust in addition to the public ones. */
  readonly trustedAuthorities: readonly string[];
  readonly robotsCache: RobotsTxtCache;
  readonly surfaceHost: Pick<SurfaceHost, 'open'>;
  readonly workspaces: Pick<Workspaces, 'create' | 'remove'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The gateway over HTTP; signed transfers without a host are relative to it. */
  readonly gatewayUrl: URL;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly isFirstRun: boolean;
  readonly metrics: AttemptBase['metrics'];
  /** Undefined: the worker encodes no videos. */
  readonly ffmpeg?: FfmpegConfig | undefined;
  readonly version: string;
}

/** All services of one attempt. `RunLoop` decides the order of calls. */
export interface AttemptContext extends AttemptBase {
  readonly worker: WorkerServices;
  readonly progress: RunProgress;
  readonly budget: BudgetGuard;
  readonly outcomes: StepOutcomes;
  readonly safePoints: SafePointTracker;
  /** Safe point of an earlier attempt; null: none. */
  readonly restoredState: SafePointState | null;
  readonly secrets: SecretInputs;
  readonly egress: RunEgress;
  readonly siteLimiter: SiteLimiter;
  /** Null: robots.txt is not checked. */
  readonly robots: RobotsTxtNotifier | null;
  readonly profiles: ProfileClient;
  readonly uploads: UploadQueue;
  readonly screenshots: ScreenshotRecorder;
  readonly debugArtifacts: DebugArtifacts;
  /** Null: the run records no turns. */
  readonly turns: TurnStore | null;
  readonly inputFiles: InputFiles;
  readonly control: ManualControl;
  readonly surfaceSession: SurfaceSession;
  /** Route of requests that the worker sends for the run. */
  requestRoute(): RequestRoute;
  /** Runs a step of a branch. A field, because the executors import this file. */
  executeStep(ctx: StepContext): Promise<StepResult>;
}

/** Position and state of a step within a branch. */
export interface BranchPosition {
  /** Name of the branch. */
  readonly branch: string;
  /** Position of the step within the branch. */
  readonly inner: StepPosition;
  /** Template scope of the step. */
  readonly scope: TemplateScope;
  /** Address that the branch opened last; null: none. */
  readonly openedUrl: string | null;
}

/** Pauses a waiting step while a person has control. */
export interface OperatorInterruption {
  /** Calls back when a person takes control, at once if one already has. @returns removes the callback */
  onControlTaken(callback: () => void): () => void;
  /** Waits until the person releases control. @param remainingMs of the step */
  yieldToOperator(remainingMs: number): Promise<void>;
}

/** Argument of a step executor. */
export interface StepContext extends ActionScope {
  readonly attempt: AttemptContext;
  readonly running: RunningStep;
  /** Rendered step to execute: the running one, or a step of its branches. */
  readonly step: RunningStep['step'];
  /** Limiter of the page of this step. */
  readonly siteLimiter: Pick<SiteLimiter, 'acquire' | 'release'>;
  /** Agent events and answer of an earlier attempt; empty for a retried step and in a branch. */
  readonly history: Pick<Assignment, 'agentEvents' | 'answer'>;
  /** Null in a branch, where a person cannot take control. */
  readonly interruption: OperatorInterruption | null;
  /** Set in a branch: no healing, no questions, no manual control and no history. */
  readonly branch: BranchPosition | null;
}

export const NO_HISTORY: StepContext['history'] = { agentEvents: [], answer: null };

/** The scope of actions on a surface of the attempt. */
export function actionScope(attempt: AttemptContext, surface: Surface): ActionScope {
  const { link, cancellation, budget, secrets, inputFiles, clock, timers, log, events } = attempt;
  return {
    surface,
    onWarning: (message) => events.add('run.log', message.slice(0, MAX_MESSAGE_CHARS), { facts: {} }, 'warn'),
    lease: link.lease,
    signal: cancellation.signal,
    assertCanAct: () => budget.assertCanAct(),
    inputCounter: { count: 0 },
    clock,
    timers,
    log,
    reveal: (text, origin) => secrets.reveal(text, origin),
    file: (upload) => inputFiles.download(upload),
    fileFacts: (upload) => inputFiles.facts(upload),
  };
}

/** Creates the services of an attempt. Starts no work. */
export function createAttemptContext(
  assignment: Assignment,
  link: AttemptLink,
  worker: WorkerServices,
  executeStep: AttemptContext['executeStep'],
): AttemptContext {
  const { run, epoch, definition } = assignment;
  const { clock, timers, random, metrics, gatewayUrl } = worker;
  const masker = new Masker();
  const base: AttemptBase = {
    ...{ assignment, link, clock, timers, random, metrics, gatewayUrl, masker },
    log: maskedLog(worker.log, masker, { run, epoch }),
    events: new EventBuffer(link, masker, clock),
    cancellation: new RunCancellation(link.lossSignal, link.lease.endSignal),
    runningStep: null,
    stepNumber: null,
  };
  const restoredState = assignment.safePoint && parseSafePoint(assignment.safePoint.state);
  const progress = new RunProgress(assignment, restoredState?.values ?? new Map());
  const safePoints = new SafePointTracker(base, progress.maskedValues, assignment.safePoint);
  const secrets = new SecretInputs(base);
  const egress = new RunEgress(base, worker);
  const siteLimiter = new SiteLimiter(base);
  const profiles = new ProfileClient(base, progress);
  const uploads = new UploadQueue(base);
  const screenshots = new ScreenshotRecorder(base, uploads);
  const debugArtifacts = new DebugArtifacts(base, uploads, worker);
  const turns =
    assignment.recordTurns === 'off'
      ? null
      : new TurnStore(base, new ArtifactUploader(base), () => surfaceSession.workspace);
  const control = new ManualControl(base, turns && new PersonTurns(base, turns));
  const inputFiles: InputFiles = new InputFiles(base, () => surfaceSession.workspace);
  const surfaceSession: SurfaceSession = new SurfaceSession(base, {
    inputFiles,
    ...{ surfaceHost: worker.surfaceHost, progress, secrets, egress, siteLimiter },
    ...{ profiles, screenshots, debugArtifacts, control },
  });
  const requestRoute = (): RequestRoute => {
    const { userAgent } = definition.browser ?? {};
    return {
      proxy: () => egress.proxy(),
      trustedAuthorities: worker.trustedAuthorities,
      userAgent: userAgent === undefined ? undefined : renderBrowser({ userAgent }, progress.scope()).userAgent,
    };
  };
  const checksRobots = checksRobotsTxt({ project: assignment.politeness.project, workflow: definition.politeness });
  // One object: services of the attempt read `runningStep` and `stepNumber` of their base.
  return Object.assign(base, {
    ...{ worker, progress, safePoints, restoredState, secrets, egress, siteLimiter, profiles },
    ...{ uploads, screenshots, debugArtifacts, turns, control, surfaceSession, requestRoute, executeStep },
    budget: new BudgetGuard(base, progress, safePoints),
    outcomes: new StepOutcomes(base, progress),
    robots: checksRobots ? new RobotsTxtNotifier(base, worker.robotsCache, requestRoute) : null,
    inputFiles,
  });
}
