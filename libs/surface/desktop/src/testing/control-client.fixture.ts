import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import { flushPendingInput, NO_PENDING_INPUT, recordInput } from '@pilothouse/core/control/recorded-actions';
import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import { poll } from '@pilothouse/core/time/deadlines';
import type { DesktopSurface } from '../desktop.surface.ts';
import { contextWithin } from './desktop.fixture.ts';

/** A person who operates a desktop by control inputs, as the console sends them. The inputs are recorded as actions. */
export class ControlClient {
  readonly #surface: DesktopSurface;
  readonly #actions: Action[] = [];
  #pending = NO_PENDING_INPUT;
  /** The element and window of the last input. */
  lastTarget: InputTarget | null = null;

  constructor(surface: DesktopSurface) {
    this.#surface = surface;
  }

  /** Sends inputs, and records them. */
  async send(...inputs: PageInput[]): Promise<void> {
    for (const input of inputs) {
      const target = await this.#surface.sendControlInput(input, contextWithin(20));
      const { pending, actions } = recordInput(this.#pending, input, target);
      this.#pending = pending;
      this.#actions.push(...actions.map(({ action }) => action));
      if (target) this.lastTarget = target;
    }
  }

  /** Opens an application, and waits for its window. */
  async open(app: string, title: string): Promise<void> {
    await this.send({ kind: 'openApp', app });
    await this.waitForWindow(title);
  }

  /** Types each character as a separate input. */
  async type(text: string): Promise<void> {
    await this.send(...[...text].map((character): PageInput => ({ kind: 'text', text: character })));
  }

  async press(...keys: string[]): Promise<void> {
    await this.send(...keys.map((key): PageInput => ({ kind: 'key', key })));
  }

  /** Clicks the middle of the element that this locator finds. */
  async click(locator: Locator, count = 1): Promise<void> {
    await this.clickPoint(await this.pointOf(locator), count);
  }

  /** Clicks a point, in thousandths of the screen. */
  async clickPoint(point: { readonly x: number; readonly y: number }, count = 1): Promise<void> {
    for (let click = 1; click <= count; click += 1)
      await this.send(
        { kind: 'move', ...point },
        { kind: 'down', ...point, button: 'left', count: click },
        { kind: 'up', ...point, button: 'left', count: click },
      );
  }

  /** Waits until the element is in the active window. @returns its middle, in thousandths of the screen */
  async pointOf({ role, name }: Locator): Promise<{ x: number; y: number }> {
    const match = await poll(async () => {
      const { elements, viewport } = await this.#surface.observe({}, contextWithin(20));
      const element = elements.find((each) => each.role === role && (name === undefined || each.name === name));
      return element && { element, viewport };
    }, contextWithin(20));
    if (!match) throw new Error(`${role} ${name ?? ''} is not in the active window after 20 s`);
    const { element, viewport } = match;
    const { x, y, width, height } = element.bounds;
    return { x: ((x + width / 2) / viewport.width) * 1_000, y: ((y + height / 2) / viewport.height) * 1_000 };
  }

  /** Waits until the active window has a title with this text. */
  async waitForWindow(title: string): Promise<void> {
    await this.#surface.expect({ title }, contextWithin(40));
    await this.#surface.waitUntilIdle(100, contextWithin(20));
  }

  /** The recorded actions. */
  actions(): Action[] {
    const { pending, actions } = flushPendingInput(this.#pending);
    this.#pending = pending;
    this.#actions.push(...actions.map(({ action }) => action));
    return [...this.#actions];
  }
}
