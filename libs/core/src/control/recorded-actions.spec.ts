import type { Locator, PageInput } from '@pilothouse/contract';
import type { InputTarget } from '../ports/surface.port.ts';
import { recordInput, flushPendingInput, NO_PENDING_INPUT, type RecordedAction } from './recorded-actions.ts';

const go: Locator = { role: 'button', name: 'Go' };
const name: Locator = { label: 'Name' };
const touched = (locator: Locator, isSecret = false): InputTarget => ({ locators: [locator], isSecret });

const down = (x: number, y: number, count = 1): PageInput => ({ kind: 'down', x, y, button: 'left', count });
const up = (x: number, y: number, count = 1): PageInput => ({ kind: 'up', x, y, button: 'left', count });
const text = (said: string): PageInput => ({ kind: 'text', text: said });
const key = (pressed: string): PageInput => ({ kind: 'key', key: pressed });

type Done = [input: PageInput, touched?: InputTarget | null];
const told = (...inputs: Done[]): RecordedAction[] => {
  let unfinished = NO_PENDING_INPUT;
  const deeds: RecordedAction[] = [];
  for (const [input, what = null] of inputs) {
    const folded = recordInput(unfinished, input, what);
    unfinished = folded.unfinished;
    deeds.push(...folded.actions);
  }
  return [...deeds, ...flushPendingInput(unfinished).actions];
};
const moves = (...inputs: Done[]) => told(...inputs).map(({ move }) => move);

describe('what a person does becomes actions', () => {
  test('a button that goes down and up is a click, twice at once a double one; elsewhere a drag', () => {
    const target = [go, { point: { x: 100, y: 200 } }];
    expect(moves([down(100, 200), touched(go)], [{ kind: 'move', x: 102, y: 201 }], [up(102, 201)])).toEqual([
      { action: 'click', target },
    ]);
    expect(
      moves([down(100, 200), touched(go)], [up(100, 200)], [down(100, 200, 2), touched(go)], [up(100, 200, 2)]),
    ).toEqual([{ action: 'click', target, count: 2 }]);
    expect(moves([down(100, 200), touched(go)], [up(300, 200)])).toEqual([
      { action: 'drag', target, to: { point: { x: 300, y: 200 } } },
    ]);
  });

  test('what is typed into one field is one step, ended by a key that types nothing', () => {
    expect(
      moves(
        [text('Ad'), touched(name)],
        [text('b'), touched(name)],
        [key('Backspace'), touched(name)],
        [{ kind: 'paste', text: 'a' }, touched(name)],
        [key('Enter'), touched(name)],
      ),
    ).toEqual([
      { action: 'fill', target: [name], text: 'Ada', append: true },
      { action: 'press', key: 'Enter' },
    ]);
  });

  test('what goes into a field for passwords, or nobody knows where, is not told', () => {
    const password: Locator = { label: 'Password' };
    const deeds = told([text('s3'), touched(password, true)], [key('a'), touched(password, true)], [text('x'), null]);
    expect(deeds).toEqual([
      { move: { action: 'fill', target: [password], text: '••••', append: true }, secret: 's3a' },
      { move: { action: 'fill', target: [{ css: ':focus' }], text: '••••', append: true }, secret: 'x' },
    ]);
  });

  test('what is chosen in a drop-down list is one step, however one came to it; the click that would open it is none', () => {
    const port: Locator = { label: 'Port' };
    const list = (chosen: InputTarget['chosen']): InputTarget => ({ ...touched(port), chosen: chosen ?? null });
    const choose: PageInput = { kind: 'selectOption', index: 2, label: 'Oslo' };
    expect(moves([down(100, 200), list(null)], [up(100, 200)], [choose, list({ option: 'Oslo' })])).toEqual([
      { action: 'selectOption', target: [port], option: 'Oslo' },
    ]);
    expect(
      moves(
        [text(' '), list(null)],
        [key('ArrowDown'), list({ option: 'Bergen' })],
        [key('ArrowDown'), list({ option: '3', by: 'index' })],
        [key('Enter'), touched(port)],
      ),
    ).toEqual([
      { action: 'selectOption', target: [port], option: '3', by: 'index' },
      { action: 'press', key: 'Enter' },
    ]);
    expect(moves([down(100, 200), list(null)], [up(100, 200)])).toEqual([]);
  });

  test('turns of the wheel are one scroll', () => {
    const turn = (dy: number): PageInput => ({ kind: 'scroll', x: 500, y: 500, dx: 0, dy });
    expect(moves([turn(100)], [turn(20.4)])).toEqual([
      { action: 'scroll', target: { point: { x: 500, y: 500 } }, by: { x: 0, y: 120 } },
    ]);
  });
});
