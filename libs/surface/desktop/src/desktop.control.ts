import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Screen } from '@pilothouse/contract/observation/observation.schema';
import type { ActionServices, InputTarget } from '@pilothouse/core/ports/surface-action.port';
import {
  limitDeadline,
  newDeadline,
  poll,
  raceDeadline,
  remainingMs,
  timersOf,
  type Deadline,
} from '@pilothouse/core/time/deadlines';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { atspiRoles, isPasswordField } from './accessibility/roles.ts';
import { inputTargetOf, inputWindowOf, smallestAt } from './targeting/control-target.ts';
import type { DesktopScreen } from './desktop.screen.ts';
import type { ScreenRead } from './observation/screen-snapshot.ts';
import { parseKeyChord } from './input/key-names.ts';
import { NOTCH_PX, type ScreenPoint } from './input/nut-input.ts';
import { optionsOf, type SessionClient } from './session/session-client.ts';
import { isTerminal } from './typing/type-text.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** Milliseconds for a terminal to show typed text. A password prompt shows nothing. */
const ECHO_TIMEOUT_MS = 500;

/** Maximum reads of a busy application to find an element. Each takes a second or more. */
const MAX_READS = 3;

/** Maximum milliseconds to describe the target of an input, and part of the input's time. The input is sent without a description then. */
const MAX_DESCRIPTION_MS = 2_500;
const DESCRIPTION_PART = 0.5;

/** Milliseconds in which an unknown target of keys is not looked for again: each search takes up to the time above. */
const UNKNOWN_TARGET_MS = 5_000;

type ControlContext = Pick<ActionServices, 'guard'> & Deadline;

type InputOf<Kind extends PageInput['kind']> = Extract<PageInput, { kind: Kind }>;

/** The window and the element that receive keys. */
interface KeyTarget {
  readonly window: WindowFacts | null;
  readonly focused: DesktopElement | undefined;
  readonly target: InputTarget;
}

/** A point of which only the place is known. */
const UNKNOWN_POINT_TARGET: InputTarget = { locators: [], isSecret: false, window: null };

/** The text may be a secret. */
const UNKNOWN_KEY_TARGET: KeyTarget = {
  window: null,
  focused: undefined,
  target: { locators: [], isSecret: true, textAction: 'type', window: null },
};

const hasFocus = ({ elements }: ScreenRead): boolean => elements.some(({ state }) => state.focused);

/** Input of a person in control of one desktop. */
export class DesktopControl {
  readonly #session: SessionClient;
  readonly #screen: DesktopScreen;
  readonly #size: Screen;
  /** Target of the last typed text. Cached, so that each character needs no read. */
  #lastKeyTarget: KeyTarget | null = null;
  /** Target of keys in a busy application, until `endsAt` in milliseconds of the timers. */
  #unknownTarget: { readonly target: KeyTarget; readonly endsAt: number } | null = null;
  #lastScroll: { readonly point: ScreenPoint; readonly target: InputTarget } | null = null;
  /** Pixels that are less than a notch of the wheel. */
  #scrollRemainderPx = { x: 0, y: 0 };
  #pressPoint: ScreenPoint | null = null;

  constructor(session: SessionClient, screen: DesktopScreen, size: Screen) {
    this.#session = session;
    this.#screen = screen;
    this.#size = size;
  }

  /**
   * Sends one input without waiting for a target.
   * @returns the element and the window that received it; null for a move
   * @throws PilothouseError ACTION_UNSUPPORTED for an input that only a browser has, or a key that does not exist
   */
  async send(input: PageInput, context: ControlContext): Promise<InputTarget | null> {
    if (input.kind !== 'move' && !isTyping(input)) this.#lastKeyTarget = null;
    if (input.kind !== 'move' && input.kind !== 'scroll') this.#lastScroll = null;
    switch (input.kind) {
      case 'move':
        context.guard();
        await this.#session.call('move', this.#toPoint(input), optionsOf(context));
        return null;
      case 'down':
      case 'up':
        return this.#sendButton(input, context);
      case 'scroll':
        return this.#scroll(input, context);
      case 'key':
        return this.#press(input, context);
      case 'text':
      case 'paste':
        return this.#type(input.text, context);
      case 'openApp':
        context.guard();
        await this.#session.call('openApp', { app: input.app, files: [] }, optionsOf(context));
        return null;
      case 'selectOption':
        throw new PilothouseError(
          'ACTION_UNSUPPORTED',
          'Option lists are not supported on a desktop; click the option',
        );
    }
  }

  /** Describes the element with an index or at a point. @returns null if it does not exist */
  async describeElement(
    { elementIndex, point }: Pick<Locator, 'elementIndex' | 'point'>,
    context: Deadline,
  ): Promise<InputTarget | null> {
    if (point) return this.#describePoint(this.#toPoint(point), context);
    const { elements } = await this.#screen.read(context);
    return inputTargetOf(
      elements.find(({ index }) => index === elementIndex),
      elements,
    );
  }

  async #sendButton(input: InputOf<'down' | 'up'>, context: ControlContext): Promise<InputTarget | null> {
    const point = this.#toPoint(input);
    const isDown = input.kind === 'down';
    const isDrag = !isDown && this.#pressPoint !== null && distance(this.#pressPoint, point) > 1;
    const target = isDown || isDrag ? await this.#pointTarget(point, context) : null;
    this.#pressPoint = isDown ? point : null;
    context.guard();
    await this.#session.call('move', point, optionsOf(context));
    await this.#session.call('button', { button: input.button, isDown }, optionsOf(context));
    return target;
  }

  async #scroll(input: InputOf<'scroll'>, context: ControlContext): Promise<InputTarget | null> {
    const point = this.#toPoint(input);
    const isContinued = this.#lastScroll !== null && distance(this.#lastScroll.point, point) <= 1;
    const target = isContinued ? this.#lastScroll?.target : await this.#pointTarget(point, context);
    this.#lastScroll = target ? { point, target } : null;
    const total = { x: this.#scrollRemainderPx.x + input.dx, y: this.#scrollRemainderPx.y + input.dy };
    const notches = { x: wholeNotches(total.x), y: wholeNotches(total.y) };
    this.#scrollRemainderPx = { x: total.x - notches.x, y: total.y - notches.y };
    context.guard();
    await this.#session.call('scroll', { point, byX: notches.x, byY: notches.y }, optionsOf(context));
    return target ?? null;
  }

  async #press(input: InputOf<'key'>, context: ControlContext): Promise<InputTarget> {
    const chord = parseKeyChord(input.key);
    if (!chord && [...input.key].length === 1) return this.#type(input.key, context);
    if (!chord)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        `Unknown key ${JSON.stringify(input.key)}; use a name such as Enter or Control+A`,
      );
    const { target } = await this.#keyTarget(context);
    context.guard();
    await this.#session.call('press', { chord, times: 1 }, optionsOf(context));
    return target;
  }

  async #type(text: string, context: ControlContext): Promise<InputTarget> {
    const keyTarget = await this.#keyTarget(context);
    const { window, focused, target } = keyTarget;
    const dependsOnEcho = window !== null && isTerminal(window) && !target.isSecret;
    const hasEcho = dependsOnEcho ? await this.#watchEcho(text, focused, context) : null;
    const timeoutMs = remainingMs(context);
    context.guard();
    await this.#session.call(
      'type',
      { text, mode: 'insert', field: null, verify: false, windowId: null, timeoutMs },
      optionsOf(context),
    );
    this.#lastKeyTarget = keyTarget === this.#unknownTarget?.target ? null : keyTarget;
    return hasEcho === null || (await hasEcho()) ? target : { ...target, isSecret: true };
  }

  /** @returns a wait for the typed text in a terminal; it resolves to false without an echo in time, or if the terminal does not answer */
  async #watchEcho(
    text: string,
    focused: DesktopElement | undefined,
    context: Deadline,
  ): Promise<() => Promise<boolean>> {
    if (focused?.node.role === atspiRoles.terminal) {
      const { bus, path } = focused.node;
      const read = () => this.#session.call('readText', { bus, path, timeoutMs: ECHO_TIMEOUT_MS }, optionsOf(context));
      const initialText = await read();
      return async () => {
        const limits = newDeadline(context, ECHO_TIMEOUT_MS);
        const hasEcho = async () => showsEcho(text, initialText, await read()) || undefined;
        return initialText !== null && ((await poll(hasEcho, limits)) ?? false);
      };
    }
    const waitForChange = (version: number, timeoutMs: number) =>
      this.#session.call('waitForChange', { version, timeoutMs }, optionsOf(context));
    const { version } = await waitForChange(-1, 0);
    return async () => (await waitForChange(version, ECHO_TIMEOUT_MS)).version !== version;
  }

  /** Describes the target of keys. */
  async #keyTarget(context: Deadline): Promise<KeyTarget> {
    const timers = timersOf(context);
    const unknown = this.#unknownTarget && this.#unknownTarget.endsAt > timers.monotonic() ? this.#unknownTarget : null;
    const last = this.#lastKeyTarget ?? unknown?.target;
    if (last?.window) {
      const active = await this.#session.call('activeWindow', null, optionsOf(context));
      if (active?.id === last.window.id) return last;
    }
    this.#unknownTarget = null;
    const described = await this.#described((limits) => this.#readKeyTarget(limits), null, context);
    if (described) return described;
    const window = await this.#session.call('activeWindow', null, optionsOf(context));
    const target = { ...UNKNOWN_KEY_TARGET, window };
    this.#unknownTarget = { target, endsAt: timers.monotonic() + UNKNOWN_TARGET_MS };
    return target;
  }

  async #readKeyTarget(context: Deadline): Promise<KeyTarget> {
    const windows = await this.#screen.windows(context);
    let read = await this.#screen.read(context);
    for (let reads = 1; reads < MAX_READS && read.tree.incomplete !== null && !hasFocus(read); reads += 1)
      read = await this.#screen.read(context);
    const { tree, elements } = read;
    const { window } = tree;
    const focused = elements.find(({ state }) => state.focused);
    const described = inputTargetOf(focused, elements);
    const target: InputTarget = {
      locators: [],
      // A password field may be missing in an incomplete list.
      isSecret: tree.incomplete !== null || mayBeSecret(window, elements),
      textAction: 'type',
      ...described,
      window: window && inputWindowOf(window, windows),
    };
    return { window, focused, target };
  }

  /** The element at a point; only its place is recorded if a busy application does not describe it in time. */
  #pointTarget(point: ScreenPoint, context: Deadline): Promise<InputTarget> {
    return this.#described((limits) => this.#describePoint(point, limits), UNKNOWN_POINT_TARGET, context);
  }

  /** Describes a target, or returns the fallback: the input of a person must not be lost because an application is busy. */
  async #described<Value>(
    describe: (limits: Deadline) => Promise<Value>,
    fallback: Value,
    context: Deadline,
  ): Promise<Value> {
    const end = new AbortController();
    const signal = AbortSignal.any([context.signal, end.signal]);
    const limits = limitDeadline(
      { ...context, signal },
      Math.min(MAX_DESCRIPTION_MS, remainingMs(context) * DESCRIPTION_PART),
    );
    try {
      return await raceDeadline(describe(limits), limits, 'The description');
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof PilothouseError && error.code !== 'STEP_TIMED_OUT') throw error;
      return fallback;
    } finally {
      // An abandoned description reads no further.
      end.abort();
    }
  }

  /** Describes the element at a point, in the topmost window there. */
  async #describePoint(point: ScreenPoint, context: Deadline): Promise<InputTarget> {
    const [topId, windows] = await Promise.all([
      this.#session.call('windowAt', point, optionsOf(context)),
      this.#screen.windows(context),
    ]);
    const background = windows.find(({ id, isActive }) => id === topId && !isActive);
    for (let reads = 1; ; reads += 1) {
      const { tree, elements } = await this.#screen.read(
        context,
        background && { app: background.appId, window: background.title },
      );
      const element = smallestAt(elements, point);
      if (!element && tree.incomplete !== null && reads < MAX_READS) continue;
      const window = background ?? tree.window;
      return {
        locators: [],
        isSecret: false,
        ...inputTargetOf(element, elements, point),
        window: window && inputWindowOf(window, windows),
      };
    }
  }

  #toPoint({ x, y }: { readonly x: number; readonly y: number }): ScreenPoint {
    return {
      x: Math.round((x / 1000) * (this.#size.width - 1)),
      y: Math.round((y / 1000) * (this.#size.height - 1)),
    };
  }
}

/** True for input that goes to the same field as the text before it. */
const isTyping = (input: PageInput): boolean =>
  input.kind === 'text' || input.kind === 'paste' || (input.kind === 'key' && input.key === 'Backspace');

/**
 * True if a text may be a secret although its field is unknown. An application that publishes its objects marks password fields; a
 * terminal shows no echo of them.
 */
function mayBeSecret(window: WindowFacts | null, elements: readonly DesktopElement[]): boolean {
  if (elements.length > 0) return elements.some(({ node }) => isPasswordField(node));
  return window === null || !isTerminal(window);
}

/**
 * True if a terminal shows a typed text: each of its lines occurs more often than before. Other output is no echo.
 * @param initialText null: the terminal did not answer
 */
function showsEcho(text: string, initialText: string | null, shownText: string | null): boolean {
  if (initialText === null || shownText === null || initialText === shownText) return false;
  const lines = text.split(/[\r\n]/).filter((line) => line !== '');
  return lines.every((line) => countOf(line, shownText) > countOf(line, initialText));
}

const countOf = (part: string, text: string): number => text.split(part).length - 1;

const wholeNotches = (pixels: number): number => Math.trunc(pixels / NOTCH_PX) * NOTCH_PX;

const distance = (first: ScreenPoint, second: ScreenPoint): number =>
  Math.hypot(first.x - second.x, first.y - second.y);
