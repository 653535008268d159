/** Names of keys as models write them, in small letters without spaces, hyphens and underscores → as actions have them. */
const names: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  control: 'Control',
  controlormeta: 'ControlOrMeta',
  cmd: 'Meta',
  command: 'Meta',
  meta: 'Meta',
  super: 'Meta',
  win: 'Meta',
  alt: 'Alt',
  option: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
  return: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
  tab: 'Tab',
  space: 'Space',
  backspace: 'Backspace',
  delete: 'Delete',
  del: 'Delete',
  insert: 'Insert',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
};

function keyOf(name: string): string | null {
  if ([...name].length === 1) return name;
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '');
  if (/^f(?:[1-9]|1[0-2])$/.test(plain)) return plain.toUpperCase();
  return Object.hasOwn(names, plain) ? (names[plain] ?? null) : [...plain].length === 1 ? plain : null;
}

/** Keys that are pressed together, as a chord of actions: `Control+C`. @returns null when one is no key */
export function toKeyChord(keys: readonly string[]): string | null {
  const known = keys.map(keyOf);
  return known.length > 0 && known.every((key) => key !== null) ? known.join('+') : null;
}
