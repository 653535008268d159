import { eventMasks, predefinedAtoms, type XConnection } from './x-connection.ts';

/** Bytes of a text that one property change holds: the largest request of the core protocol, less its header. */
const MAX_TEXT_BYTES = 262_000;

/** Milliseconds for the owner of a selection to answer. */
const ANSWER_TIMEOUT_MS = 1_000;

type Targets = Readonly<
  Record<'TARGETS' | 'TIMESTAMP' | 'UTF8_STRING' | 'TEXT' | 'text/plain' | 'text/plain;charset=utf-8', number>
>;

/** Reads and owns the selections CLIPBOARD and PRIMARY (ICCCM 2). */
export class Clipboard {
  readonly #x: XConnection;
  readonly #window: number;
  readonly #selection: number;
  readonly #property: number;
  readonly #targets: Targets;
  #text: Buffer | null = null;
  /** Number of texts that this process put on the clipboard. */
  #writes = 0;
  /** Called when an application fetches the text. */
  #onFetch: (() => void) | null = null;

  private constructor(x: XConnection, window: number, selection: number, property: number, targets: Targets) {
    this.#x = x;
    this.#window = window;
    this.#selection = selection;
    this.#property = property;
    this.#targets = targets;
    x.onEvent((event) => {
      if (event.name === 'SelectionRequest') this.#answer(event as unknown as SelectionRequest);
      if (event.name === 'SelectionClear') this.#text = null;
    });
  }

  static async create(x: XConnection): Promise<Clipboard> {
    const names = ['TARGETS', 'TIMESTAMP', 'UTF8_STRING', 'TEXT', 'text/plain', 'text/plain;charset=utf-8'] as const;
    const [selection, property, ...atoms] = await Promise.all(
      ['CLIPBOARD', 'PILOTHOUSE_SELECTION', ...names].map((name) => x.atom(name)),
    );
    const window = x.client.AllocID();
    x.client.CreateWindow(window, x.root, -10, -10, 1, 1, 0, 0, 0, 0, { eventMask: eventMasks.propertyChange });
    const targets = Object.fromEntries(names.map((name, index) => [name, atoms[index]])) as Targets;
    return new Clipboard(x, window, selection ?? 0, property ?? 0, targets);
  }

  /**
   * Becomes the owner of both selections.
   * @throws Error for a text above 262,000 bytes
   */
  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > MAX_TEXT_BYTES)
      throw new Error(`The text has ${bytes.length} bytes; the clipboard takes at most ${MAX_TEXT_BYTES}`);
    this.#text = bytes;
    this.#writes += 1;
    this.#x.client.SetSelectionOwner(this.#window, this.#selection, 0);
    this.#x.client.SetSelectionOwner(this.#window, predefinedAtoms.PRIMARY, 0);
    await this.#x.sync();
  }

  /** Resolves when an application has fetched the text; false after the timeout. */
  fetched(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isFetched: boolean) => {
        this.#x.timers.clearTimeout(timer);
        if (this.#onFetch === onFetch) this.#onFetch = null;
        resolve(isFetched);
      };
      const onFetch = () => end(true);
      const timer = this.#x.timers.setTimeout(() => end(false), timeoutMs);
      this.#onFetch = onFetch;
    });
  }

  /** Gives up both selections, so that the clipboard is empty. */
  async clear(): Promise<void> {
    this.#text = null;
    this.#x.client.SetSelectionOwner(0, this.#selection, 0);
    this.#x.client.SetSelectionOwner(0, predefinedAtoms.PRIMARY, 0);
    await this.#x.sync();
  }

  /** Returns the text of the clipboard; null if it holds none, or its owner did not answer within 1 s. */
  async read(): Promise<string | null> {
    if (this.#text) return this.#text.toString('utf8');
    if ((await this.#owner()) === 0) return null;
    return (await this.#convert(this.#targets.UTF8_STRING))?.toString('utf8') ?? null;
  }

  /** Identifies the content: its owner, and the time since when it owns the clipboard (`TIMESTAMP`, ICCCM 2.6.2). */
  async version(): Promise<string> {
    if (this.#text) return `own ${this.#writes}`;
    const owner = await this.#owner();
    const timestamp = owner === 0 ? null : await this.#convert(this.#targets.TIMESTAMP);
    return `${owner} ${timestamp?.toString('hex') ?? ''}`;
  }

  #owner(): Promise<number> {
    return this.#x.request<number>((reply) => this.#x.client.GetSelectionOwner(this.#selection, reply));
  }

  /** Asks the owner for the content in one form. @returns null if it has none, or did not answer within 1 s */
  async #convert(target: number): Promise<Buffer | null> {
    const hasAnswered = new Promise<boolean>((resolve) => {
      const end = (isSent: boolean) => {
        this.#x.timers.clearTimeout(timer);
        off();
        resolve(isSent);
      };
      const timer = this.#x.timers.setTimeout(() => end(false), ANSWER_TIMEOUT_MS);
      const off = this.#x.onEvent((event) => {
        if (event.name === 'SelectionNotify' && event.requestor === this.#window) end(event.property !== 0);
      });
    });
    this.#x.client.ConvertSelection(this.#window, this.#selection, target, this.#property, 0);
    if (!(await hasAnswered)) return null;
    const content = await this.#x.property(this.#window, 'PILOTHOUSE_SELECTION');
    this.#x.client.DeleteProperty(this.#window, this.#property);
    return content;
  }

  #answer({ requestor, selection, target, property, time }: SelectionRequest): void {
    const destination = property || target;
    const { TARGETS, TIMESTAMP: _, ...texts } = this.#targets;
    let isAnswered = true;
    if (this.#text === null) isAnswered = false;
    else if (target === TARGETS) {
      const supported = [TARGETS, ...Object.values(texts)];
      const list = Buffer.alloc(4 * supported.length);
      supported.forEach((atom, index) => list.writeUInt32LE(atom, 4 * index));
      this.#x.client.ChangeProperty(0, requestor, destination, predefinedAtoms.ATOM, 32, list);
    } else if (Object.values(texts).includes(target)) {
      const type = target === texts.TEXT ? texts.UTF8_STRING : target;
      this.#x.client.ChangeProperty(0, requestor, destination, type, 8, this.#text);
      this.#onFetch?.();
    } else isAnswered = false;
    const event = Buffer.alloc(32);
    event[0] = 31; // SelectionNotify
    [time, requestor, selection, target, isAnswered ? destination : 0].forEach((value, index) =>
      event.writeUInt32LE(value >>> 0, 4 + 4 * index),
    );
    this.#x.client.SendEvent(requestor, 0, 0, event);
  }
}

interface SelectionRequest {
  readonly requestor: number;
  readonly selection: number;
  readonly target: number;
  readonly property: number;
  readonly time: number;
}
