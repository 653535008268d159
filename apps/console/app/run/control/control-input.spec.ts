import { MAX_INPUT_TEXT } from '@pilothouse/contract/control/control-limits';
import { sendControlInputSchema, type PageInput } from '@pilothouse/contract/control/control.schema';
import { batchOf, chordOf, opensList, pointIn, withInput, type Key } from './control-input.ts';

const key = (name: string, overrides: Partial<Key> = {}): Key => ({
  ...{ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
  ...overrides,
});
const move = (x: number): PageInput => ({ kind: 'move', x, y: 0 });
const batched = (...inputs: PageInput[]) => inputs.reduce<PageInput[]>(withInput, []);

test.each([
  [key('Enter'), 'Enter'],
  [key('Tab', { shiftKey: true }), 'Shift+Tab'],
  [key('a', { ctrlKey: true }), 'Control+A'],
  [key('c', { metaKey: true }), 'Control+C'],
  [key('f', { altKey: true }), 'Alt+F'],
  // These arrive as text or as a paste.
  [key('ƒ', { altKey: true }), null],
  [key('a'), null],
  [key('A', { shiftKey: true }), null],
  [key('@', { ctrlKey: true, altKey: true }), null],
  [key('v', { ctrlKey: true }), null],
  [key('Shift', { shiftKey: true }), null],
  [key('Enter', { isComposing: true }), null],
  [key('Process'), null],
])('%o is the chord %p', (pressed, chord) => expect(chordOf(pressed)).toBe(chord));

test.each([' ', 'Enter', 'F4', 'Alt+ArrowDown'])('%p opens a list', (text) => expect(opensList(text)).toBe(true));
test.each(['a', 'ArrowDown', 'Tab'])('%p opens none', (text) => expect(opensList(text)).toBe(false));

test('a position is in thousandths of the image, and inside it', () => {
  const viewBounds = { left: 10, top: 20, width: 200, height: 100 };
  expect(pointIn(viewBounds, { clientX: 60, clientY: 70 })).toEqual({ x: 250, y: 500 });
  expect(pointIn(viewBounds, { clientX: 0, clientY: 700 })).toEqual({ x: 0, y: 1000 });
});

test('queued input is merged', () => {
  const down: PageInput = { kind: 'down', x: 0, y: 0, button: 'left', count: 1 };
  expect(batched(move(1), move(2), move(3))).toEqual([move(3)]);
  // With a button down each place counts: it is a curve.
  expect(batched(down, move(1), move(2))).toEqual([down, move(1), move(2)]);
  expect(batched({ kind: 'text', text: 'a' }, { kind: 'text', text: 'b' })).toEqual([{ kind: 'text', text: 'ab' }]);
  const turn = (dy: number): PageInput => ({ kind: 'scroll', x: 0, y: 0, dx: 0, dy });
  expect(batched(turn(9_000), turn(9_000))).toEqual([turn(10_000)]);
});

test('a batch respects the limits of the API', () => {
  const text: PageInput = { kind: 'paste', text: 'x'.repeat(MAX_INPUT_TEXT - 1) };
  const allInputs = [text, text, ...Array.from({ length: 200 }, (_, n) => move(n))];
  for (const inputs of [allInputs, allInputs.slice(1), allInputs.slice(2)]) {
    const batch = batchOf(inputs);
    expect(sendControlInputSchema.safeParse({ token: 1, inputs: batch }).success).toBe(true);
  }
  expect(batchOf(allInputs)).toHaveLength(1);
  expect(batchOf(allInputs.slice(2))).toHaveLength(100);
});
