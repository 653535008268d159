import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import dbus, { type MessageBus } from 'dbus-next';
import type { StateSet } from './states.ts';

/** An accessible object: the bus name of its application, and its path there. */
export interface AccessibleRef {
  readonly bus: string;
  readonly path: string;
}

/** A rectangle in pixels of the screen, or of the window (GTK 4). */
export interface Extents {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const ACCESSIBLE = 'org.a11y.atspi.Accessible';
const COMPONENT = 'org.a11y.atspi.Component';
const APPLICATION = 'org.a11y.atspi.Application';
const TEXT = 'org.a11y.atspi.Text';
const TABLE = 'org.a11y.atspi.Table';
const SELECTION = 'org.a11y.atspi.Selection';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** Path that AT-SPI uses for "no object". */
const NULL_PATH = '/org/a11y/atspi/null';

const SCREEN_COORDINATES = 0;

/** `ATSPI_RELATION_LABELLED_BY`. */
const RELATION_LABELLED_BY = 2;

/**
 * Calls of AT-SPI. Reads single properties only: `Properties.GetAll` ends programs of Qt 5. Every call has a deadline, because a stopped
 * application answers none.
 */
export class AccessibilityBus {
  /** Timers of everything that uses this bus. */
  readonly timers: Timers;
  readonly #bus: MessageBus;
  readonly #pidOfBus = new Map<string, number>();

  private constructor(bus: MessageBus, timers: Timers) {
    this.#bus = bus;
    this.timers = timers;
  }

  /**
   * @param sessionBus address of the session bus, which knows the address of the accessibility bus
   * @throws Error when either bus does not answer within the timeout
   */
  static async connect(
    sessionBus: string,
    timeoutMs: number,
    timers: Timers = systemTimers,
  ): Promise<AccessibilityBus> {
    const session = dbus.sessionBus({ busAddress: sessionBus });
    session.on('error', () => undefined);
    try {
      const [address] = (await callBus(session, timers, timeoutMs, {
        destination: 'org.a11y.Bus',
        path: '/org/a11y/bus',
        interface: 'org.a11y.Bus',
        member: 'GetAddress',
      })) as [string];
      const bus = dbus.sessionBus({ busAddress: address.split(',guid')[0] ?? address });
      bus.on('error', () => undefined);
      return new AccessibilityBus(bus, timers);
    } finally {
      session.disconnect();
    }
  }

  /** @throws Error of the application, or after the timeout */
  async call<T>(
    target: AccessibleRef,
    interfaceName: string,
    member: string,
    timeoutMs: number,
    signature = '',
    body: readonly unknown[] = [],
  ): Promise<T> {
    const [value] = await this.callAll(target, interfaceName, member, timeoutMs, signature, body);
    return value as T;
  }

  /** Returns all values of the answer. @throws as `call` */
  callAll(
    target: AccessibleRef,
    interfaceName: string,
    member: string,
    timeoutMs: number,
    signature = '',
    body: readonly unknown[] = [],
  ): Promise<unknown[]> {
    return callBus(this.#bus, this.timers, timeoutMs, {
      destination: target.bus,
      path: target.path,
      interface: interfaceName,
      member,
      signature,
      body: [...body],
    });
  }

  async #property<T>(target: AccessibleRef, interfaceName: string, name: string, timeoutMs: number): Promise<T> {
    const variant = await this.call<{ value: T }>(target, PROPERTIES, 'Get', timeoutMs, 'ss', [interfaceName, name]);
    return variant.value;
  }

  /** All applications on the bus. */
  async applications(timeoutMs: number): Promise<AccessibleRef[]> {
    const registry = { bus: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/accessible/root' };
    return this.children(registry, timeoutMs);
  }

  /** Id of an application's process. */
  async pidOf(bus: string, timeoutMs: number): Promise<number> {
    const known = this.#pidOfBus.get(bus);
    if (known !== undefined) return known;
    const daemon = { bus: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
    const pid = await this.call<number>(daemon, 'org.freedesktop.DBus', 'GetConnectionUnixProcessID', timeoutMs, 's', [
      bus,
    ]);
    this.#pidOfBus.set(bus, pid);
    return pid;
  }

  toolkitName(application: AccessibleRef, timeoutMs: number): Promise<string> {
    return this.#property(application, APPLICATION, 'ToolkitName', timeoutMs);
  }

  toolkitVersion(application: AccessibleRef, timeoutMs: number): Promise<string> {
    return this.#property(application, APPLICATION, 'Version', timeoutMs);
  }

  name(target: AccessibleRef, timeoutMs: number): Promise<string> {
    return this.#property(target, ACCESSIBLE, 'Name', timeoutMs);
  }

  description(target: AccessibleRef, timeoutMs: number): Promise<string> {
    return this.#property(target, ACCESSIBLE, 'Description', timeoutMs);
  }

  role(target: AccessibleRef, timeoutMs: number): Promise<number> {
    return this.call(target, ACCESSIBLE, 'GetRole', timeoutMs);
  }

  states(target: AccessibleRef, timeoutMs: number): Promise<StateSet> {
    return this.call(target, ACCESSIBLE, 'GetState', timeoutMs);
  }

  childCount(target: AccessibleRef, timeoutMs: number): Promise<number> {
    return this.#property(target, ACCESSIBLE, 'ChildCount', timeoutMs);
  }

  /** Never call this for an object with many children: the table of LibreOffice Calc has 2 ^ 31. */
  async children(target: AccessibleRef, timeoutMs: number): Promise<AccessibleRef[]> {
    const references = await this.call<[string, string][]>(target, ACCESSIBLE, 'GetChildren', timeoutMs);
    return references.map(([bus, path]) => ({ bus, path })).filter(({ path }) => path !== NULL_PATH);
  }

  /** Objects whose text labels this one. */
  async labels(target: AccessibleRef, timeoutMs: number): Promise<AccessibleRef[]> {
    const relations = await this.call<[number, [string, string][]][]>(target, ACCESSIBLE, 'GetRelationSet', timeoutMs);
    const references = relations.find(([type]) => type === RELATION_LABELLED_BY)?.[1] ?? [];
    return references.map(([bus, path]) => ({ bus, path })).filter(({ path }) => path !== NULL_PATH);
  }

  /** The accessible at a point of the screen; null if it does not exist. */
  accessibleAt(target: AccessibleRef, x: number, y: number, timeoutMs: number): Promise<AccessibleRef | null> {
    return this.#reference(target, COMPONENT, 'GetAccessibleAtPoint', timeoutMs, 'iiu', [x, y, SCREEN_COORDINATES]);
  }

  /** A cell of a table; null if it does not exist. */
  cellAt(table: AccessibleRef, row: number, column: number, timeoutMs: number): Promise<AccessibleRef | null> {
    return this.#reference(table, TABLE, 'GetAccessibleAt', timeoutMs, 'ii', [row, column]);
  }

  /** The first selected child; null if it does not exist. */
  selectedChild(target: AccessibleRef, timeoutMs: number): Promise<AccessibleRef | null> {
    return this.#reference(target, SELECTION, 'GetSelectedChild', timeoutMs, 'i', [0]);
  }

  async #reference(
    target: AccessibleRef,
    interfaceName: string,
    member: string,
    timeoutMs: number,
    signature: string,
    body: readonly unknown[],
  ): Promise<AccessibleRef | null> {
    const [bus, path] = await this.call<[string, string]>(target, interfaceName, member, timeoutMs, signature, body);
    return path === NULL_PATH ? null : { bus, path };
  }

  interfaces(target: AccessibleRef, timeoutMs: number): Promise<string[]> {
    return this.call(target, ACCESSIBLE, 'GetInterfaces', timeoutMs);
  }

  async extents(target: AccessibleRef, timeoutMs: number): Promise<Extents> {
    const [x, y, width, height] = await this.call<[number, number, number, number]>(
      target,
      COMPONENT,
      'GetExtents',
      timeoutMs,
      'u',
      [SCREEN_COORDINATES],
    );
    return { x, y, width, height };
  }

  /** Characters in a text. @throws Error if the object has no text */
  textLength(target: AccessibleRef, timeoutMs: number): Promise<number> {
    return this.#property(target, TEXT, 'CharacterCount', timeoutMs);
  }

  /** Text of a field or document, cut to `maxCharacters`. @throws Error if the object has no text */
  async text(target: AccessibleRef, timeoutMs: number, maxCharacters: number): Promise<string> {
    const length = await this.textLength(target, timeoutMs);
    return this.call(target, TEXT, 'GetText', timeoutMs, 'ii', [0, Math.min(Math.max(length, 0), maxCharacters)]);
  }

  /** Text of a field or document. @returns null above `maxCharacters` @throws Error if the object has no text */
  async wholeText(target: AccessibleRef, timeoutMs: number, maxCharacters: number): Promise<string | null> {
    const length = await this.textLength(target, timeoutMs);
    return length > maxCharacters
      ? null
      : this.call(target, TEXT, 'GetText', timeoutMs, 'ii', [0, Math.max(length, 0)]);
  }

  disconnect(): void {
    this.#bus.disconnect();
  }
}

interface Call {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: unknown[];
}

async function callBus(bus: MessageBus, timers: Timers, timeoutMs: number, call: Call): Promise<unknown[]> {
  let timer: Timer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = timers.setTimeout(
      () => reject(new Error(`${call.destination} did not answer ${call.member} within ${timeoutMs} ms`)),
      Math.max(1, timeoutMs),
    );
  });
  try {
    const reply = await Promise.race([bus.call(new dbus.Message(call)), timeout]);
    return reply?.body ?? [];
  } finally {
    timers.clearTimeout(timer);
  }
}
