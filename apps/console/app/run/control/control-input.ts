import { MAX_INPUT_TEXT, MAX_INPUTS } from '@pilothouse/contract/control/control-limits';
import type { PageInput } from '@pilothouse/contract/control/control.schema';

/** Fields of keyboard events that input needs. */
export type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>;

const MODIFIERS: ReadonlySet<string> = new Set(['Control', 'Meta', 'Alt', 'AltGraph', 'Shift', 'CapsLock', 'Fn']);

/** Keys that the browser or an input method handles. */
const IME_KEYS: ReadonlySet<string> = new Set(['Dead', 'Process', 'Unidentified']);

/** Key chord of a key that types no text; null for text, paste and modifiers. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: Key): string | null {
  if (isComposing || MODIFIERS.has(key) || IME_KEYS.has(key)) return null;
  const isCharacter = [...key].length === 1;
  const isCommand = ctrlKey || metaKey;
  // AltGr is reported as Control and Alt, and types text.
  const isMnemonic = altKey && !isCommand && /^[a-z0-9]$/i.test(key);
  if (isCharacter && !isMnemonic && (!isCommand || (ctrlKey && altKey))) return null;
  if (isCommand && key.toLowerCase() === 'v') return null;
  // The remote browser runs on Linux: Command of macOS becomes Control.
  return [isCommand && 'Control', altKey && 'Alt', shiftKey && 'Shift', isCharacter ? key.toUpperCase() : key]
    .filter((offset) => offset !== false)
    .join('+');
}

/** True if a key chord or text opens the focused select. */
export const opensList = (text: string): boolean => text === ' ' || /^(?:Alt\+Arrow(?:Up|Down)|F4|Enter)$/.test(text);

/** Position of a point in an image, in thousandths. */
export function pointIn(
  { left, top, width, height }: Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>,
  { clientX, clientY }: { clientX: number; clientY: number },
): { x: number; y: number } {
  const permille = (offset: number, size: number) =>
    Math.round(Math.min(1, Math.max(0, offset / (size || 1))) * 10_000) / 10;
  return { x: permille(clientX - left, width), y: permille(clientY - top, height) };
}

/** Appends input. Consecutive moves are replaced, scrolls added up, and texts joined. */
export function withInput(inputs: readonly PageInput[], next: PageInput): PageInput[] {
  const last = inputs.at(-1);
  const previous = inputs.slice(0, -1);
  const isDown = inputs.findLast(({ kind }) => kind === 'down' || kind === 'up')?.kind === 'down';
  if (last?.kind === 'move' && next.kind === 'move' && !isDown) return [...previous, next];
  if (last?.kind === 'scroll' && next.kind === 'scroll') {
    const add = (first: number, second: number) => Math.min(10_000, Math.max(-10_000, first + second));
    return [...previous, { ...next, dx: add(last.dx, next.dx), dy: add(last.dy, next.dy) }];
  }
  if (last?.kind === 'text' && next.kind === 'text' && last.text.length + next.text.length <= MAX_INPUT_TEXT)
    return [...previous, { kind: 'text', text: last.text + next.text }];
  return [...inputs, next];
}

/** The first inputs that fit into one request. */
export function batchOf(inputs: readonly PageInput[]): PageInput[] {
  let remainingChars = MAX_INPUT_TEXT;
  const end = inputs.findIndex((input, index) => {
    remainingChars -= 'text' in input ? input.text.length : 0;
    return remainingChars < 0 || index >= MAX_INPUTS;
  });
  return inputs.slice(0, end < 0 ? undefined : end);
}
