import type { XTest } from 'x11';
import type { WindowPing } from './window-ping.ts';
import type { XConnection } from './x-connection.ts';

/** Keysyms of keys that the keyboard presses by name (X11/keysymdef.h). */
const keysyms = { Return: 0xff0d, Tab: 0xff09, Control: 0xffe3, Shift: 0xffe1, Insert: 0xff63 } as const;

/** Milliseconds for an application to read the keys that it was sent. A busy machine needs seconds. */
const READ_TIMEOUT_MS = 10_000;

/** Milliseconds between two bindings for a window that answers no ping (xterm, measured: 30 are sufficient). */
const UNCONFIRMED_PAUSE_MS = 60;

/** Method by which a text was typed. */
export interface TypedText {
  /** Number of times that characters were bound to keycodes. */
  readonly bindings: number;
  /** True if the window has confirmed that it read the keys. */
  readonly isRead: boolean;
}

/** Limits of typing a text. */
export interface TypingLimits {
  readonly signal: AbortSignal;
  /** Milliseconds that are left for typing. */
  remainingMs(): number;
  /**
   * Waits after a Return or Tab until the window has read it and run its command; null: nothing is waited for.
   * @returns false if the window does not answer. The rest of the text is sent without waiting then
   */
  readonly waitForCommand: (() => Promise<boolean>) | null;
}

/** Returns the keysym of a Unicode code point (X Window System Protocol, Appendix A). */
export function keysymOf(codePoint: number): number {
  if (codePoint === 0x0a) return keysyms.Return;
  if (codePoint === 0x09) return keysyms.Tab;
  const isLatin1 = (codePoint >= 0x20 && codePoint <= 0x7e) || (codePoint >= 0xa0 && codePoint <= 0xff);
  return isLatin1 ? codePoint : 0x01000000 | codePoint;
}

/**
 * True if a keysym is a visible character: Latin-1, the scripts that X numbered before Unicode, or Unicode. Keys such as Paste and Back have
 * higher keysyms (0x1008ff57). Chromium performs their command whatever keysym is bound to them.
 */
export const isPrintable = (keysym: number): boolean =>
  (keysym > 0x20 && keysym < 0x7f) ||
  (keysym > 0xa0 && keysym < 0xfe00) ||
  (keysym > 0x01000100 && keysym <= 0x0110ffff);

/** Assigns keycodes to characters: a character that has a separate key keeps it, the others take free keys. */
export interface KeycodePlan {
  /** Keycode of each character. */
  readonly keycodes: ReadonlyMap<string, number>;
  /** Keysyms to bind, by keycode. */
  readonly bindings: ReadonlyMap<number, number>;
  /** Characters of the text that the plan covers. */
  readonly length: number;
}

/**
 * Plans as many of the characters as there are keys.
 * @param unshifted keysym of each ordinary key without modifiers, by keycode
 */
export function planKeycodes(characters: readonly string[], unshifted: ReadonlyMap<number, number>): KeycodePlan {
  const ownKey = new Map([...unshifted].map(([keycode, keysym]) => [keysym, keycode]));
  const distinct: string[] = [];
  let length = 0;
  const seen = new Set<string>();
  for (const character of characters) {
    if (!seen.has(character) && character !== '\n' && character !== '\t') {
      if (distinct.length === unshifted.size) break;
      seen.add(character);
      distinct.push(character);
    }
    length += 1;
  }
  const keycodes = new Map<string, number>();
  const bindings = new Map<number, number>();
  const free = new Set(unshifted.keys());
  for (const character of distinct) {
    const keycode = ownKey.get(keysymOf(character.codePointAt(0) ?? 0));
    if (keycode === undefined) continue;
    keycodes.set(character, keycode);
    free.delete(keycode);
  }
  const rest = [...free].reverse();
  for (const character of distinct) {
    if (keycodes.has(character)) continue;
    const keycode = rest.pop();
    if (keycode === undefined) break;
    keycodes.set(character, keycode);
    bindings.set(keycode, keysymOf(character.codePointAt(0) ?? 0));
  }
  return { keycodes, bindings, length };
}

/**
 * Types text exactly, in every script, by XTEST. Characters without a key are bound to ordinary keycodes, all of them in one request:
 * Chromium ignores keycodes that no keyboard has. Before codes are bound again, the window has to answer a ping, which proves that it has
 * read the keys so far. Without that proof 2,668 of 3,020 characters were wrong.
 */
export class Keyboard {
  readonly #x: XConnection;
  readonly #test: XTest;
  readonly #ping: WindowPing;
  /** Rows of the mapping as the server started with them. */
  readonly #rows: readonly number[][];
  readonly #ordinary: ReadonlyMap<number, number>;
  readonly #keycodes: Readonly<Record<keyof typeof keysyms, number>>;

  private constructor(x: XConnection, test: XTest, ping: WindowPing, rows: readonly number[][]) {
    this.#x = x;
    this.#test = test;
    this.#ping = ping;
    this.#rows = rows;
    const ordinary = rows.flatMap((row, index): [number, number][] =>
      isPrintable(row[0] ?? 0) ? [[x.minKeycode + index, row[0] ?? 0]] : [],
    );
    // A key pad has the same characters again; the first key of a character is the ordinary one.
    this.#ordinary = new Map(
      ordinary.filter(([, keysym], index) => ordinary.findIndex(([, candidate]) => candidate === keysym) === index),
    );
    const find = (keysym: number) => {
      const index = rows.findIndex((row) => row[0] === keysym);
      if (index < 0) throw new Error(`The keyboard layout has no key for the keysym 0x${keysym.toString(16)}`);
      return x.minKeycode + index;
    };
    this.#keycodes = {
      Return: find(keysyms.Return),
      Tab: find(keysyms.Tab),
      Control: find(keysyms.Control),
      Shift: find(keysyms.Shift),
      Insert: find(keysyms.Insert),
    };
  }

  static async create(x: XConnection, ping: WindowPing): Promise<Keyboard> {
    const [test, rows] = await Promise.all([
      x.request<XTest>((reply) => x.client.require('xtest', reply)),
      x.request<number[][]>((reply) =>
        x.client.GetKeyboardMapping(x.minKeycode, x.maxKeycode - x.minKeycode + 1, reply),
      ),
    ]);
    return new Keyboard(x, test, ping, rows);
  }

  /**
   * Types into the window with the focus. The mapping is restored before this returns.
   * @param window the window that answers pings; 0: none does
   * @throws Error if the step ends before all characters are sent
   */
  async type(text: string, window: number, { signal, remainingMs, waitForCommand }: TypingLimits): Promise<TypedText> {
    const characters = [...text];
    let isResponsive = waitForCommand !== null;
    let bindings = 0;
    let isBound = false;
    let isRead = false;
    try {
      for (let start = 0; start < characters.length;) {
        if (signal.aborted)
          throw new Error(`The step ended after ${start} of ${characters.length} characters; raise its timeout`);
        const plan = planKeycodes(characters.slice(start), this.#ordinary);
        if (isBound) await this.#waitUntilRead(window);
        if (isBound || plan.bindings.size > 0) {
          this.#bind(plan.bindings);
          bindings += 1;
          isBound = plan.bindings.size > 0;
          // Waits until the window has read MappingNotify. Otherwise Chromium looks up the next key in the old keyboard mapping.
          await this.#waitUntilRead(window);
        }
        for (const character of characters.slice(start, start + plan.length)) {
          this.#tap(
            character === '\n'
              ? this.#keycodes.Return
              : character === '\t'
                ? this.#keycodes.Tab
                : (plan.keycodes.get(character) ?? 0),
          );
          if (!waitForCommand || !isResponsive || (character !== '\n' && character !== '\t')) continue;
          await this.#x.sync();
          isResponsive = await waitForCommand();
        }
        start += plan.length;
      }
      // A failed wait has used the time of the step. The last wait gets only what is left.
      const hasFailed = waitForCommand !== null && !isResponsive;
      isRead = await this.#waitUntilRead(
        window,
        hasFailed ? Math.min(READ_TIMEOUT_MS, remainingMs()) : READ_TIMEOUT_MS,
      );
    } finally {
      if (isBound) {
        if (!isRead) await this.#waitUntilRead(window);
        this.#bind(new Map());
        await this.#x.sync();
      }
    }
    return { bindings, isRead };
  }

  /** Presses the paste shortcut: Shift+Insert in terminals, else Ctrl+V. */
  async pressPaste(isTerminal: boolean): Promise<void> {
    const modifier = isTerminal ? this.#keycodes.Shift : this.#keycodes.Control;
    const key = isTerminal ? this.#keycodes.Insert : this.#keycodeOf('v');
    this.#send(this.#test.KeyPress, modifier);
    this.#tap(key);
    this.#send(this.#test.KeyRelease, modifier);
    await this.#x.sync();
  }

  /** Key of a character in the first group that has it. Layouts of other scripts have Latin letters in the second group. */
  #keycodeOf(character: string): number {
    const keysym = keysymOf(character.codePointAt(0) ?? 0);
    for (let level = 0; level < (this.#rows[0]?.length ?? 0); level += 1) {
      const index = this.#rows.findIndex((row) => row[level] === keysym);
      if (index >= 0) return this.#x.minKeycode + index;
    }
    throw new Error(`The keyboard layout has no key "${character}"`);
  }

  #tap(keycode: number): void {
    this.#send(this.#test.KeyPress, keycode);
    this.#send(this.#test.KeyRelease, keycode);
  }

  #send(type: number, keycode: number): void {
    this.#test.FakeInput(type, keycode, 0, this.#x.root, 0, 0);
  }

  /** Binds keysyms to all levels of their keycodes, and restores every other ordinary keycode, in one request. */
  #bind(bindings: ReadonlyMap<number, number>): void {
    const keycodes = [...this.#ordinary.keys()];
    const first = Math.min(...keycodes);
    const last = Math.max(...keycodes);
    const rows = this.#rows.slice(first - this.#x.minKeycode, last - this.#x.minKeycode + 1);
    const bound = rows.map((row, index) => {
      const keysym = bindings.get(first + index);
      return keysym === undefined ? row : row.map(() => keysym);
    });
    this.#x.client.ChangeKeyboardMapping(first, this.#rows[0]?.length ?? 0, bound.flat());
  }

  async #waitUntilRead(window: number, timeoutMs = READ_TIMEOUT_MS): Promise<boolean> {
    await this.#x.sync();
    if (window !== 0) return this.#ping.send(window, timeoutMs);
    await this.#x.timers.delay(UNCONFIRMED_PAUSE_MS);
    return false;
  }
}
