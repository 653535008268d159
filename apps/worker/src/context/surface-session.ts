import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import {
  isControllable,
  isPageSurface,
  type OpenOptions,
  type Surface,
  type SurfaceFile,
  type SurfaceHost,
} from '@pilothouse/core/ports/surface.port';
import { renderBrowser, renderDesktop } from '@pilothouse/core/workflow/secret-placeholders';
import { linkAbort, raceAbort, withDeadline, withTimeout } from '@pilothouse/core/time/deadlines';
import { needsResponses } from '@pilothouse/core/workflow/step-types';
import { failpoint } from '@pilothouse/infra-fault';
import type { ActionScope } from '../actions/action-scope.ts';
import { currentAnchors } from '../actions/surface-reads.ts';
import type { DebugArtifacts } from '../artifacts/debug-artifacts.ts';
import type { ScreenshotRecorder } from '../artifacts/screenshot-recorder.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import type { ProfileClient } from '../attempt/profile-client.ts';
import type { RunProgress } from '../attempt/run-progress.ts';
import type { SecretInputs } from '../attempt/secret-inputs.ts';
import type { ManualControl } from '../control/manual-control.ts';
import type { InputFiles } from '../files/input-files.ts';
import type { RunEgress } from '../network/run-egress.ts';
import type { SiteLimiter } from '../network/site-limiter.ts';
import { requireRestore } from '../surface/surface-capabilities.ts';
import { LiveView } from './live-view.ts';

/** Milliseconds to open a surface, and to restore its safe point. */
const OPEN_MS = 30_000;
const RESTORE_MS = 30_000;

/** Milliseconds for files, programs and windows of a desktop profile; `readyTimeout` has at most 300 s. */
const MAX_PROFILE_MS = 360_000;

/** Milliseconds for downloads that the last steps started. */
const DOWNLOADS_MS = 30_000;

/** Services that open, observe and close a surface. */
export interface SurfaceServices {
  readonly surfaceHost: Pick<SurfaceHost, 'open'>;
  readonly inputFiles: Pick<InputFiles, 'download'>;
  readonly progress: Pick<RunProgress, 'scope'>;
  readonly secrets: Pick<SecretInputs, 'reveal'>;
  readonly egress: Pick<RunEgress, 'policy'>;
  readonly siteLimiter: Pick<SiteLimiter, 'isEnabled' | 'release'>;
  readonly profiles: Pick<ProfileClient, 'load'>;
  readonly screenshots: Pick<ScreenshotRecorder, 'addSurfaceFile'>;
  readonly debugArtifacts: Pick<DebugArtifacts, 'surfaceHooks'>;
  readonly control: Pick<ManualControl, 'requestDialogReply' | 'reportDialog'>;
}

/** The surface of an attempt, with its live view and its files, from open to close. */
export class SurfaceSession {
  private readonly base: AttemptBase;
  private readonly services: SurfaceServices;
  private readonly liveView: LiveView;
  private readonly fileHandlers = new Set<Promise<void>>();
  private readonly unlinks: (() => void)[] = [];
  private folder: string | undefined;
  private opening: Promise<Surface> | undefined;
  private surface: Surface | undefined;

  constructor(base: AttemptBase, services: SurfaceServices) {
    this.base = base;
    this.services = services;
    this.liveView = new LiveView(base.link, base.timers);
  }

  /** Undefined until the surface is open. */
  get current(): Surface | undefined {
    return this.surface;
  }

  /** Folder of the attempt. @throws Error before `open` */
  get workspace(): string {
    if (this.folder === undefined) throw new Error('The attempt has no workspace yet');
    return this.folder;
  }

  /**
   * Starts to open the surface; `opened` waits for it.
   * @param workspace folder of the attempt
   * @param restoring true: starts without a profile, because a safe point restores the surface
   */
  open(workspace: string, { restoring }: { restoring: boolean }): void {
    this.folder = workspace;
    this.opening = this.openSurface(workspace, restoring);
    this.opening.catch(() => undefined);
  }

  /** Waits until the surface is open. @throws PilothouseError SURFACE_UNAVAILABLE; the reason of the cancellation */
  waitUntilOpen(): Promise<Surface> {
    if (!this.opening) throw new Error('The surface was not opened');
    return raceAbort(this.opening, this.base.cancellation.signal);
  }

  /** Passes the current page to the site limiter after a recovery or a failed step. */
  async recordPage(): Promise<void> {
    const { siteLimiter } = this.services;
    const surface = await this.waitUntilOpen();
    if (!siteLimiter.isEnabled) return;
    const { cancellation, clock, timers, log } = this.base;
    const page = await currentAnchors(surface, { signal: cancellation.signal, clock, timers, log });
    siteLimiter.release(null, page?.url ?? null);
  }

  /** Waits for downloads that steps started, and reports incomplete ones. @throws the reason of the cancellation */
  async waitForDownloads(): Promise<void> {
    const { surface } = this;
    if (!surface || !isPageSurface(surface)) return;
    const { cancellation, events, clock, log } = this.base;
    const { signal } = cancellation;
    const context = { signal, deadline: clock.monotonic() + DOWNLOADS_MS, log };
    for (const { name, hasFailed } of await raceAbort(surface.waitForFiles(context), signal)) {
      const reason = hasFailed ? 'failed' : `did not finish within ${DOWNLOADS_MS / 1000} s after the last step`;
      const message = `${name} was not stored: its download ${reason}`;
      events.add('run.log', message, { facts: { file: name } }, 'warn');
    }
  }

  /** Resolves when every file of the surface is queued for upload. */
  async waitForFileHandlers(): Promise<void> {
    await Promise.all(this.fileHandlers);
  }

  async close(): Promise<void> {
    if (this.surface) {
      await this.surface.close();
      this.base.metrics.add('worker_surfaces_open', -1);
    }
    this.liveView.close();
    for (const unlink of this.unlinks) unlink();
  }

  private async openSurface(workspace: string, restoring: boolean): Promise<Surface> {
    const { assignment, metrics, cancellation } = this.base;
    const { definition } = assignment;
    const { egress, profiles, debugArtifacts, control, progress, inputFiles } = this.services;
    const desktop = definition.desktop && renderDesktop(definition.desktop, progress.scope());
    const [browser, profile] = await Promise.all([this.browserOptions(), restoring ? undefined : profiles.load()]);
    const surface = await this.openWithTimeout({
      folder: workspace,
      onFile: (file: SurfaceFile) => this.addFile(file),
      recordResponses: needsResponses(definition),
      egress: egress.policy,
      screenParser: this.base.link.screenParser,
      ...(browser && { browser }),
      ...(desktop && { desktop, file: (upload: string) => inputFiles.download(upload) }),
      ...(profile && { profile }),
      recorders: {
        ...debugArtifacts.surfaceHooks(workspace),
        dialogs: {
          onOpen: (dialog) => control.requestDialogReply(dialog),
          onAnswered: (dialog) => control.reportDialog(dialog),
        },
      },
    });
    this.surface = surface;
    if (isControllable(surface)) this.liveView.attach(surface);
    metrics.add('worker_surfaces_open', 1);
    const onLost = (reason: unknown) => cancellation.abort(toPilothouseError(reason, 'SURFACE_LOST'));
    this.unlinks.push(linkAbort(surface.lossSignal, onLost));
    await failpoint('worker.opened', assignment.run);
    return surface;
  }

  private async openWithTimeout(options: OpenOptions): Promise<Surface> {
    const { clock, timers, log, metrics, cancellation } = this.base;
    const { signal } = cancellation;
    const startedAt = clock.monotonic();
    // The windows of a profile have a separate deadline.
    const openMs = OPEN_MS + (options.desktop?.profile ? MAX_PROFILE_MS : 0);
    const observe = (result: 'opened' | 'failed') =>
      metrics.observe('worker_surface_open_seconds', { result }, clock.monotonic() - startedAt);
    const opening = this.services.surfaceHost.open(options, { signal, deadline: startedAt + openMs, log });
    opening.catch(() => undefined);
    try {
      const surface = await raceAbort(withTimeout(opening, openMs, { timers }), signal);
      observe('opened');
      return surface;
    } catch (thrown) {
      // It may open later; then it is closed at once.
      void opening.then((surface) => surface.close()).catch(() => undefined);
      signal.throwIfAborted();
      observe('failed');
      throw toPilothouseError(thrown, 'SURFACE_UNAVAILABLE');
    }
  }

  /** Browser options of the workflow, with templates and secrets replaced. */
  private async browserOptions(): Promise<BrowserOptions | undefined> {
    const { definition } = this.base.assignment;
    const { progress, secrets } = this.services;
    if (!definition.browser) return undefined;
    const options = renderBrowser(definition.browser, progress.scope());
    const { httpCredentials } = options;
    if (!httpCredentials) return options;
    const { origin } = httpCredentials;
    const username = await secrets.reveal(httpCredentials.username, origin);
    const password = await secrets.reveal(httpCredentials.password, origin);
    return { ...options, httpCredentials: { origin, username, password } };
  }

  private addFile(file: SurfaceFile): void {
    const handler = this.services.screenshots
      .addSurfaceFile(file, this.base.stepNumber)
      .finally(() => this.fileHandlers.delete(handler));
    this.fileHandlers.add(handler);
  }
}

/**
 * Restores a safe point on a new surface while the lease is held.
 * @throws as `Restorable.restore`; the reason of the signal; PilothouseError LEASE_LOST when the lease lapsed
 */
export async function restoreSurface(
  state: string,
  { surface, lease, signal, assertCanAct, clock, log }: ActionScope,
): Promise<void> {
  await lease.waitUntilHeld(signal);
  const guard = () => {
    assertCanAct();
    lease.assertHeld();
  };
  await withDeadline(RESTORE_MS, signal, (bounded) =>
    requireRestore(surface).restore(state, { signal: bounded, deadline: clock.monotonic() + RESTORE_MS, log, guard }),
  ).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw toPilothouseError(thrown, 'NAVIGATION_FAILED');
  });
}
