import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Screen } from '@pilothouse/contract/observation/observation.schema';
import type { ActionServices, InputTarget } from '@pilothouse/core/ports/surface-action.port';
import { newDeadline, poll, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { atspiRoles, isPasswordField } from './accessibility/roles.ts';
import { inputTargetOf, inputWindowOf, smallestAt } from './targeting/control-target.ts';
import { optionsOf } from './action-context.ts';
import type { DesktopScreen } from './desktop.screen.ts';
import { parseKeyChord } from './input/key-names.ts';
import { NOTCH_PX, type ScreenPoint } from './input/nut-input.ts';
import type { SessionClient } from './session/session-client.ts';
import { isTerminal } from './typing/type-text.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** Milliseconds for a terminal to show typed text. A password prompt shows nothing. */
const ECHO_TIMEOUT_MS = 500;

/** Maximum reads of a busy application to find the element at a point. Each takes up to a second. */
const MAX_POINT_READS = 3;

type ControlContext = Pick<ActionServices, 'guard'> & Deadline;

type InputOf<Kind extends PageInput['kind']> = Extract<PageInput, { kind: Kind }>;

/** The window and the element that receive keys. */
interface KeyTarget {
  readonly window: WindowFacts | null;
  readonly focused: DesktopElement | undefined;
  readonly target: InputTarget;
}

/** Input of a person in control of one desktop. */
export class DesktopControl {
  readonly #session: SessionClient;
  readonly #screen: DesktopScreen;
  readonly #size: Screen;
  /** Target of the last typed text. Cached, so that each character needs no read. */
  #lastKeyTarget: KeyTarget | null = null;
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
    const target = isDown || isDrag ? await this.#describePoint(point, context) : null;
    this.#pressPoint = isDown ? point : null;
    context.guard();
    await this.#session.call('move', point, optionsOf(context));
    await this.#session.call('button', { button: input.button, isDown }, optionsOf(context));
    return target;
  }

  async #scroll(input: InputOf<'scroll'>, context: ControlContext): Promise<InputTarget | null> {
    const point = this.#toPoint(input);
    const isContinued = this.#lastScroll !== null && distance(this.#lastScroll.point, point) <= 1;
    const target = isContinued ? this.#lastScroll?.target : await this.#describePoint(point, context);
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
    const hasEcho = dependsOnEcho ? await this.#watchEcho(focused, context) : null;
    const timeoutMs = remainingMs(context);
    context.guard();
    await this.#session.call(
      'type',
      { text, mode: 'insert', field: null, verify: false, windowId: null, timeoutMs },
      optionsOf(context),
    );
    this.#lastKeyTarget = keyTarget;
    return hasEcho === null || (await hasEcho()) ? target : { ...target, isSecret: true };
  }

  /** @returns a wait for new text in a terminal; it resolves to false without an echo in time */
  async #watchEcho(focused: DesktopElement | undefined, context: Deadline): Promise<() => Promise<boolean>> {
    if (focused?.node.role === atspiRoles.terminal) {
      const { bus, path } = focused.node;
      const read = () => this.#session.call('readText', { bus, path, timeoutMs: ECHO_TIMEOUT_MS }, optionsOf(context));
      const initialText = await read();
      return async () => {
        const limits = newDeadline(context, ECHO_TIMEOUT_MS);
        return (await poll(async () => ((await read()) === initialText ? undefined : true), limits)) ?? false;
      };
    }
    const waitForChange = (version: number, timeoutMs: number) =>
      this.#session.call('waitForChange', { version, timeoutMs }, optionsOf(context));
    const { version } = await waitForChange(-1, 0);
    return async () => (await waitForChange(version, ECHO_TIMEOUT_MS)).version !== version;
  }

  /** Describes the target of keys. */
  async #keyTarget(context: Deadline): Promise<KeyTarget> {
    const last = this.#lastKeyTarget;
    if (last?.window) {
      const active = await this.#session.call('activeWindow', null, optionsOf(context));
      if (active?.id === last.window.id) return last;
    }
    const [{ tree, elements }, windows] = await Promise.all([
      this.#screen.read(context),
      this.#screen.windows(context),
    ]);
    const { window } = tree;
    const focused = elements.find(({ state }) => state.focused);
    const described = inputTargetOf(focused, elements);
    const target: InputTarget = {
      locators: [],
      isSecret: mayBeSecret(window, elements),
      textAction: 'type',
      ...described,
      window: window && inputWindowOf(window, windows),
    };
    return { window, focused, target };
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
      if (!element && tree.incomplete !== null && reads < MAX_POINT_READS) continue;
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

const wholeNotches = (pixels: number): number => Math.trunc(pixels / NOTCH_PX) * NOTCH_PX;

const distance = (first: ScreenPoint, second: ScreenPoint): number =>
  Math.hypot(first.x - second.x, first.y - second.y);
