import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain, type Locator } from '@pilothouse/contract/actions/locator.schema';
import {
  unsupportedConditionFields,
  unsupportedFieldsOf,
  assertFieldsSupported,
} from '@pilothouse/contract/actions/surface-fields';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation, Screen } from '@pilothouse/contract/observation/observation.schema';
import { systemClock, type Clock, type Context } from '@pilothouse/core/ports/runtime.port';
import type {
  ActionOutcome,
  ActionServices,
  InputTarget,
  Screenshot,
} from '@pilothouse/core/ports/surface-action.port';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import type { Anchors, Controllable, ObserveOptions, OpenOptions, Surface } from '@pilothouse/core/ports/surface.port';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { DesktopActionContext } from './action-context.ts';
import { desktopActionHandlers } from './desktop.actions.ts';
import { checkCondition, waitForCondition } from './desktop.conditions.ts';
import { DesktopControl } from './desktop.control.ts';
import { ExpectedWindow } from './session/expected-window.ts';
import type { OpenedWindows } from './session/opened-windows.ts';
import { unfinishedWork } from './targeting/unfinished-work.ts';
import { DesktopScreen, uriOf } from './desktop.screen.ts';
import { withImageData } from './screen/image-locators.ts';
import { runScreencast } from './desktop.screencast.ts';
import { optionsOf, SessionTimeoutError, type SessionClient } from './session/session-client.ts';

/** Time of a surface. Default: the clock and timers of the machine. */
export interface SurfaceTime {
  readonly clock?: Clock | undefined;
  readonly timers?: Timers | undefined;
}

export interface SurfaceServices extends SurfaceTime {
  /** Windows that the profile has opened. Default: none. */
  readonly openedWindows?: OpenedWindows | undefined;
}

/** The limits of one call, with the timers that measure them. */
type Limits = Context & { readonly timers: Timers };

/** A desktop session of one run attempt. */
export class DesktopSurface implements Surface, Controllable {
  readonly isWaiting = false;
  readonly #session: SessionClient;
  readonly #screen: DesktopScreen;
  readonly #options: Pick<OpenOptions, 'folder' | 'onFile'>;
  readonly #control: DesktopControl;
  readonly #expectedWindow: ExpectedWindow;
  readonly #onClose: () => Promise<void>;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #closing: Promise<void> | null = null;

  /** @param onClose ends the session */
  constructor(
    session: SessionClient,
    size: Screen,
    options: OpenOptions,
    onClose: () => Promise<void>,
    { clock = systemClock, timers = systemTimers, openedWindows }: SurfaceServices = {},
  ) {
    this.#session = session;
    this.#screen = new DesktopScreen(session, size, options.screenParser, openedWindows);
    this.#options = options;
    this.#expectedWindow = new ExpectedWindow(session, this.#screen);
    this.#control = new DesktopControl(session, this.#screen, size);
    this.#onClose = onClose;
    this.#clock = clock;
    this.#timers = timers;
    session.lossSignal.addEventListener('abort', () => {
      if (!this.#closing)
        this.#lost.abort(new PilothouseError('SURFACE_LOST', (session.lossSignal.reason as Error).message));
    });
    const screencast = options.recorders?.screencast;
    if (screencast) this.screencast(screencast);
  }

  get lossSignal(): AbortSignal {
    return this.#lost.signal;
  }

  anchors(context: Context): Promise<Anchors> {
    return this.#run(context, async (limits) => {
      const window = await this.#screen.activeWindow(limits);
      const page = window && (await this.#screen.shownPage(window, limits));
      return {
        url: uriOf(window),
        title: window?.title ?? '',
        ...(window && { app: window.appId }),
        ...(page && page !== 'unresponsive' && { page: { url: page.url } }),
      };
    });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    const handler = Object.hasOwn(desktopActionHandlers, action.action)
      ? (desktopActionHandlers as Record<string, unknown>)[action.action]
      : undefined;
    if (handler === undefined)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        `The action ${action.action} is not supported on a desktop; use another action`,
      );
    assertFieldsSupported('desktop', unsupportedFieldsOf('desktop', action));
    const act = handler as (context: DesktopActionContext, action: Action) => Promise<ActionOutcome>;
    return this.#run(
      context,
      async (limits) => {
        const services: DesktopActionContext = {
          ...context,
          signal: limits.signal,
          clock: this.#clock,
          timers: limits.timers,
          guard: () => context.guard(),
          reveal: (text, origin) => context.reveal(text, origin),
          file: (upload) => context.file(upload),
          session: this.#session,
          screen: this.#screen,
          expectedWindow: this.#expectedWindow,
          filesFolder: this.#options.folder,
          onFile: (file) => this.#options.onFile?.(file),
          screenshot: () => this.#capture(limits, 'jpeg'),
        };
        if (context.onPreActionScreenshot) context.onPreActionScreenshot(await this.#capture(limits, 'jpeg'));
        const outcome = await act(services, await withImageData(action, services.file));
        this.#expectedWindow.forgetAfter(action);
        if (action.action === 'waitFor' || action.action === 'assert')
          await this.#expectedWindow.rememberAfter(action.condition, services);
        return outcome;
      },
      subjectOf(action),
    );
  }

  sendControlInput(input: PageInput, context: Pick<ActionServices, 'guard'> & Context): Promise<InputTarget | null> {
    this.#expectedWindow.set(null);
    return this.#run(context, ({ signal, deadline, timers }) =>
      this.#control.send(input, { signal, deadline, timers, guard: () => context.guard() }),
    );
  }

  describeElement(locator: Pick<Locator, 'elementIndex' | 'point'>, context: Context): Promise<InputTarget | null> {
    return this.#run(context, (limits) => this.#control.describeElement(locator, limits));
  }

  readCopiedText(context: Context): Promise<string | null> {
    return this.#run(context, (limits) => this.#session.call('readClipboard', null, optionsOf(limits)));
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    assertFieldsSupported('desktop', unsupportedConditionFields('desktop', condition));
    return this.#run(context, async (limits) => {
      await waitForCondition(this.#screen, condition, limits);
      await this.#expectedWindow.rememberAfter(condition, limits);
    });
  }

  async isMet(condition: Condition, context: Context): Promise<boolean> {
    assertFieldsSupported('desktop', unsupportedConditionFields('desktop', condition));
    return this.#run(context, (limits) => checkCondition(this.#screen, condition, limits));
  }

  observe(options: ObserveOptions, context: Context): Promise<Observation> {
    return this.#run(context, async (limits) => {
      const observation = await this.#screen.observe(limits, options);
      // Its reader chooses the next input.
      this.#expectedWindow.set(null);
      return observation;
    });
  }

  waitUntilIdle(ms: number, context: Context): Promise<boolean> {
    return this.#run(context, (limits) => this.#screen.waitUntilStable(limits, ms));
  }

  screenshot(_options: object, context: Context): Promise<Screenshot> {
    return this.#run(context, (limits) => this.#capture(limits, 'jpeg'));
  }

  screencast(sink: ScreencastSink): () => void {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#ended.signal, this.lossSignal]);
    void runScreencast(this.#session, sink, signal, this.#timers);
    return () => stop.abort();
  }

  readonly hasEnteredFields = true;

  /** Warns about open dialogs and unsaved documents at the end of a run. Never fails. */
  async restoreFields(context: ActionServices): Promise<void> {
    const windows = await this.#run(context, (limits) => this.#screen.windows(limits)).catch(() => []);
    for (const warning of unfinishedWork(windows)) context.onWarning?.(warning);
  }

  close(): Promise<void> {
    this.#ended.abort();
    this.#closing ??= this.#onClose();
    return this.#closing;
  }

  async #capture(limits: Limits, format: 'jpeg' | 'png'): Promise<Screenshot> {
    const { body, width, height } = await this.#session.call('capture', { format }, optionsOf(limits));
    return { body: Buffer.from(body), contentType: `image/${format}`, width, height };
  }

  /**
   * Runs work that also ends with the surface, and converts errors of the session to catalog errors.
   * @param subject start of a message about a timeout
   */
  async #run<Result>(context: Context, work: (limits: Limits) => Promise<Result>, subject = ''): Promise<Result> {
    if (this.#closing) throw new PilothouseError('SURFACE_LOST', 'The surface is closed');
    const signal = AbortSignal.any([context.signal, this.lossSignal]);
    try {
      signal.throwIfAborted();
      return await work({ ...context, signal, timers: this.#timers });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof PilothouseError) throw error;
      if (error instanceof SessionTimeoutError)
        throw new PilothouseError(
          'STEP_TIMED_OUT',
          `${subject}${error.message}; the application or the machine is busy: raise the timeout of the step`,
          { cause: error },
        );
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `The desktop rejected the action: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** Start of a message that names the target of an action. */
function subjectOf(action: Action): string {
  const target = 'target' in action ? action.target : undefined;
  const [locator] = target ? toLocatorChain(target) : [];
  return locator ? `${describeLocator(locator)}: ` : '';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
