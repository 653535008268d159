import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { InputTarget, InputWindow } from '../ports/surface-action.port.ts';
import { recordInput, flushPendingInput, NO_PENDING_INPUT, type RecordedAction } from './recorded-actions.ts';

const go: Locator = { role: 'button', name: 'Go', exact: true };
const name: Locator = { label: 'Name', exact: true };
const inputTarget = (locator: Locator, isSecret = false): InputTarget => ({ locators: [locator], isSecret });

const down = (x: number, y: number, count = 1): PageInput => ({ kind: 'down', x, y, button: 'left', count });
const up = (x: number, y: number, count = 1): PageInput => ({ kind: 'up', x, y, button: 'left', count });
const text = (value: string): PageInput => ({ kind: 'text', text: value });
const key = (keyName: string): PageInput => ({ kind: 'key', key: keyName });

type InputWithTarget = [input: PageInput, touched?: InputTarget | null];
const record = (...inputs: InputWithTarget[]): RecordedAction[] => {
  let pending = NO_PENDING_INPUT;
  const actions: RecordedAction[] = [];
  for (const [input, element = null] of inputs) {
    const recorded = recordInput(pending, input, element);
    pending = recorded.pending;
    actions.push(...recorded.actions);
  }
  return [...actions, ...flushPendingInput(pending).actions];
};
const actionsOf = (...inputs: InputWithTarget[]) => record(...inputs).map(({ action }) => action);

describe('inputs of a person become actions', () => {
  test('press and release are a click, a double click, or a drag', () => {
    const target = [go, { point: { x: 100, y: 200 } }];
    expect(actionsOf([down(100, 200), inputTarget(go)], [{ kind: 'move', x: 102, y: 201 }], [up(102, 201)])).toEqual([
      { action: 'click', target },
    ]);
    expect(
      actionsOf(
        [down(100, 200), inputTarget(go)],
        [up(100, 200)],
        [down(100, 200, 2), inputTarget(go)],
        [up(100, 200, 2)],
      ),
    ).toEqual([{ action: 'click', target, count: 2 }]);
    expect(actionsOf([down(100, 200), inputTarget(go)], [up(300, 200)])).toEqual([
      { action: 'drag', target, to: { point: { x: 300, y: 200 } } },
    ]);
  });

  test('text typed into one field is one action, which another key ends', () => {
    expect(
      actionsOf(
        [text('Ad'), inputTarget(name)],
        [text('b'), inputTarget(name)],
        [key('Backspace'), inputTarget(name)],
        [{ kind: 'paste', text: 'a' }, inputTarget(name)],
        [key('Enter'), inputTarget(name)],
      ),
    ).toEqual([
      { action: 'fill', target: [name], text: 'Ada', append: true },
      { action: 'press', key: 'Enter' },
    ]);
  });

  test('text for a password field or an unknown field is masked', () => {
    const password: Locator = { label: 'Password', exact: true };
    const actions = record(
      [text('s3'), inputTarget(password, true)],
      [key('a'), inputTarget(password, true)],
      [text('x'), null],
    );
    expect(actions).toEqual([
      { action: { action: 'fill', target: [password], text: '••••', append: true }, secret: 's3a' },
      { action: { action: 'fill', target: [{ css: ':focus' }], text: '••••', append: true }, secret: 'x' },
    ]);
  });

  test.each<[string, Locator, string]>([
    ['a label', { label: 'Your PIN', exact: true }, '••••'],
    ['a role and a name', { role: 'textbox', name: 'One-time code' }, '••••'],
    ['a placeholder', { placeholder: 'Card number' }, '••••'],
    ['another name', { label: 'Pinboard', exact: true }, '4821'],
    ['a button', { role: 'button', name: 'Change PIN' }, '4821'],
  ])('text is masked if a field names a secret: %s', (_, locator, shown) => {
    const secret = shown === '4821' ? null : '4821';
    for (const typed of [[text('4821')], [text('48'), { kind: 'paste', text: '21' }]] as PageInput[][])
      expect(record(...typed.map((input): InputWithTarget => [input, inputTarget(locator)]))).toEqual([
        { action: { action: 'fill', target: [{ ...locator, exact: true }], text: shown, append: true }, secret },
      ]);
  });

  test('a selection in a drop-down list is one action, without the click that opens it', () => {
    const port: Locator = { label: 'Port', exact: true };
    const list = (chosen: InputTarget['chosen']): InputTarget => ({ ...inputTarget(port), chosen: chosen ?? null });
    const choose: PageInput = { kind: 'selectOption', index: 2, label: 'Oslo' };
    expect(actionsOf([down(100, 200), list(null)], [up(100, 200)], [choose, list({ option: 'Oslo' })])).toEqual([
      { action: 'selectOption', target: [port], option: 'Oslo' },
    ]);
    expect(
      actionsOf(
        [text(' '), list(null)],
        [key('ArrowDown'), list({ option: 'Bergen' })],
        [key('ArrowDown'), list({ option: '3', by: 'index' })],
        [key('Enter'), inputTarget(port)],
      ),
    ).toEqual([
      { action: 'selectOption', target: [port], option: '3', by: 'index' },
      { action: 'press', key: 'Enter' },
    ]);
    expect(actionsOf([down(100, 200), list(null)], [up(100, 200)])).toEqual([]);
  });

  test('consecutive scroll inputs are one action', () => {
    const scroll = (dy: number): PageInput => ({ kind: 'scroll', x: 500, y: 500, dx: 0, dy });
    expect(actionsOf([scroll(100)], [scroll(20.4)])).toEqual([
      { action: 'scroll', target: { point: { x: 500, y: 500 } }, by: { x: 0, y: 120 } },
    ]);
  });
});

describe('inputs of a person on a desktop become actions', () => {
  const editor: InputWindow = { id: 1, app: 'mousepad', title: null, isActive: true };
  const dialog: InputWindow = { id: 2, app: 'mousepad', title: 'Save As', isActive: true };
  const field = (target: Partial<InputTarget> = {}): InputTarget => ({
    locators: [{ role: 'textbox' }],
    isSecret: false,
    textAction: 'type',
    window: editor,
    ...target,
  });

  test('a press on an element has no point, but its position where that matters', () => {
    const position = { x: 5, y: 7 };
    expect(actionsOf([down(100, 200), field({ position })], [up(100, 200), null])).toEqual([
      { action: 'click', target: [{ role: 'textbox' }], position },
    ]);
    expect(actionsOf([down(100, 200), field({ locators: [] })], [up(100, 200), null])).toEqual([
      { action: 'click', target: [{ point: { x: 100, y: 200 } }] },
    ]);
    expect(
      actionsOf([down(100, 200), field({ position })], [up(300, 200), field({ position: { x: 50, y: 7 } })]),
    ).toEqual([
      {
        action: 'drag',
        target: [{ role: 'textbox' }],
        fromPosition: position,
        to: [{ role: 'textbox' }],
        position: { x: 50, y: 7 },
      },
    ]);
  });

  test('a text replaces that of an empty field, and goes to the focus elsewhere', () => {
    expect(
      actionsOf(
        [text('a'), field({ textAction: 'fill' })],
        // The field is not empty any more.
        [text('b'), field()],
        [key('Enter'), field()],
        [text('c'), field()],
        [text('d'), field({ locators: [] })],
      ),
    ).toEqual([
      { action: 'fill', target: [{ role: 'textbox' }], text: 'ab' },
      { action: 'press', key: 'Enter' },
      { action: 'type', text: 'c' },
      { action: 'type', text: 'd' },
    ]);
    expect(record([text('x'), field({ locators: [], isSecret: true })])).toEqual([
      { action: { action: 'type', text: '••••' }, secret: 'x' },
    ]);
  });

  test('another window is a step that waits for it', () => {
    expect(
      actionsOf(
        [text('a'), field()],
        [key('Control+S'), field()],
        [text('n'), field({ window: dialog })],
        [down(1, 1), field({ window: dialog, locators: [go] })],
        [up(1, 1), null],
        [text('b'), field()],
      ),
    ).toEqual([
      { action: 'type', text: 'a' },
      { action: 'press', key: 'Control+S' },
      { action: 'switchWindow', app: 'mousepad', window: 'Save As' },
      { action: 'type', text: 'n' },
      { action: 'click', target: [go] },
      { action: 'switchWindow', app: 'mousepad' },
      { action: 'type', text: 'b' },
    ]);
  });

  test('openApp adds no switchWindow step; focusing a background window does', () => {
    expect(
      actionsOf([text('a'), field()], [{ kind: 'openApp', app: 'thunar' }], [text('b'), field({ window: dialog })]),
    ).toEqual([
      { action: 'type', text: 'a' },
      { action: 'openApp', app: 'thunar' },
      { action: 'type', text: 'b' },
    ]);
    expect(actionsOf([down(1, 1), field({ window: { ...editor, isActive: false } })], [up(1, 1), null])).toEqual([
      { action: 'switchWindow', app: 'mousepad' },
      { action: 'click', target: [{ role: 'textbox' }] },
    ]);
  });

  test('the wheel turns over an element', () => {
    const turn = { kind: 'scroll', x: 9, y: 9, dx: 0, dy: 80 } as const;
    expect(actionsOf([turn, field()], [turn, field()])).toEqual([
      { action: 'scroll', target: [{ role: 'textbox' }], by: { x: 0, y: 160 } },
    ]);
  });
});

test('a recorded locator matches the whole name of its element', () =>
  expect(actionsOf([down(1, 1), inputTarget({ role: 'button', name: 'Approve' })], [up(1, 1)])).toEqual([
    { action: 'click', target: [{ role: 'button', name: 'Approve', exact: true }, { point: { x: 1, y: 1 } }] },
  ]));
