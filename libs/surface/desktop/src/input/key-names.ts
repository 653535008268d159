/** Names of keys as Playwright writes them → names of nut-js's `Key`. */
const NAMED_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ArrowDown: 'Down',
    ArrowLeft: 'Left',
    ArrowRight: 'Right',
    ArrowUp: 'Up',
    Backspace: 'Backspace',
    CapsLock: 'CapsLock',
    ContextMenu: 'Menu',
    Delete: 'Delete',
    End: 'End',
    Enter: 'Return',
    Escape: 'Escape',
    Home: 'Home',
    Insert: 'Insert',
    PageDown: 'PageDown',
    PageUp: 'PageUp',
    Pause: 'Pause',
    PrintScreen: 'Print',
    Space: 'Space',
    Tab: 'Tab',
    ' ': 'Space',
    '-': 'Minus',
    '=': 'Equal',
    '[': 'LeftBracket',
    ']': 'RightBracket',
    '\\': 'Backslash',
    ';': 'Semicolon',
    "'": 'Quote',
    ',': 'Comma',
    '.': 'Period',
    '/': 'Slash',
    '`': 'Grave',
  }),
);

const MODIFIERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Alt: 'LeftAlt',
    Control: 'LeftControl',
    ControlOrMeta: 'LeftControl',
    Meta: 'LeftSuper',
    Shift: 'LeftShift',
  }),
);

/** Names of nut-js's `Key` for modifiers of the contract. */
export const toModifierKeys = (modifiers: readonly string[]): string[] =>
  modifiers.flatMap((modifier) => MODIFIERS.get(modifier) ?? []);

/** A chord: modifiers that are held, and the key that is pressed; names of nut-js's `Key`. */
export interface KeyChord {
  readonly modifiers: readonly string[];
  readonly key: string;
}

/**
 * Reads a chord such as `Control+Shift+A`.
 * @returns null if it names no key of a keyboard, e.g. `ä`; a single character can be typed as text
 */
export function parseKeyChord(text: string): KeyChord | null {
  // `Control++` presses the plus sign.
  const names = text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text === '+' ? ['+'] : text.split('+');
  const name = names.pop() ?? '';
  const modifiers = names.map((modifier) => MODIFIERS.get(modifier));
  if (modifiers.some((modifier) => modifier === undefined)) return null;
  const key = keyName(name);
  if (key === null) return null;
  const needsShift = /^[A-Z]$/.test(name) && names.length === 0;
  return { modifiers: [...(modifiers as string[]), ...(needsShift ? ['LeftShift'] : [])], key };
}

function keyName(name: string): string | null {
  if (/^[a-zA-Z]$/.test(name)) return name.toUpperCase();
  if (/^[0-9]$/.test(name)) return `Num${name}`;
  if (/^F([1-9]|1[0-9]|2[0-4])$/.test(name)) return name;
  return MODIFIERS.get(name) ?? NAMED_KEYS.get(name) ?? null;
}
