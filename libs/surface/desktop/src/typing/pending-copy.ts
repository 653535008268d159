import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { KeyChord } from '../input/key-names.ts';
import type { Clipboard } from '../x/clipboard.ts';

/** Milliseconds for an application to copy after the shortcut, and between two looks. */
const COPY_TIMEOUT_MS = 2_000;
const LOOK_INTERVAL_MS = 20;

const COPY_KEYS: ReadonlySet<string> = new Set(['C', 'X', 'Insert']);

/** True for Ctrl+C, Ctrl+X, Ctrl+Insert, and Ctrl+Shift+C of terminals. */
const isCopyShortcut = ({ modifiers, key }: KeyChord): boolean =>
  COPY_KEYS.has(key) && modifiers.some((modifier) => modifier.endsWith('Control'));

/** Waits for copies that a shortcut has started: an application owns the clipboard only after it has handled the key. */
export class PendingCopy {
  readonly #clipboard: Pick<Clipboard, 'version'>;
  readonly #timers: Timers;
  /** Version of the clipboard before the last copy shortcut; null: no copy is pending. */
  #versionBefore: string | null = null;

  constructor(clipboard: Pick<Clipboard, 'version'>, timers: Timers = systemTimers) {
    this.#clipboard = clipboard;
    this.#timers = timers;
  }

  /** Call this before keys are pressed. */
  async beforeKeys(chord: KeyChord): Promise<void> {
    if (isCopyShortcut(chord)) this.#versionBefore = await this.#clipboard.version();
  }

  /** Waits until the clipboard has changed since the last copy shortcut, at most 2 s. There may be nothing to copy. */
  async settle(): Promise<void> {
    const previousVersion = this.#versionBefore;
    this.#versionBefore = null;
    if (previousVersion === null) return;
    const endsAt = this.#timers.monotonic() + COPY_TIMEOUT_MS;
    while (this.#timers.monotonic() < endsAt && (await this.#clipboard.version()) === previousVersion)
      await this.#timers.delay(LOOK_INTERVAL_MS);
  }
}
