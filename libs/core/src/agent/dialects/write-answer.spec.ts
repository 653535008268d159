import { actionSchema, type Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { dialects, type Dialect } from '@pilothouse/contract/model/model.schema';
import type { PlannedAction } from '../planned-action.ts';
import { parseAnswer } from './read-answer.ts';
import { writeAnswer } from './write-answer.ts';
import type { AnswerToWrite, WriteContext } from '../tools/written-answer.ts';

const elementAt = (index: number, fields: Partial<WriteContext['elements'][number]> = {}) => ({
  index,
  bounds: { x: index * 40, y: index * 20, width: 40, height: 20 },
  state: {},
  ...fields,
});

const context: WriteContext = {
  surface: 'browser',
  elements: Array.from({ length: 20 }, (_, index) => elementAt(index)),
  viewport: { width: 1000, height: 500 },
  image: { width: 1280, height: 640 },
  tier: 'text',
};
const onDesktop: WriteContext = { ...context, surface: 'desktop' };

const act = (action: Action): PlannedAction => ({ kind: 'act', action });
const answer = (...actions: PlannedAction[]): AnswerToWrite => ({ thought: 'The next step.', actions });
const element = (elementIndex: number): Locator => ({ elementIndex });

function textOf(dialect: Dialect, toWrite: AnswerToWrite, where = context): string {
  const written = writeAnswer(dialect, toWrite, where);
  return written.kind === 'written'
    ? written.calls.length > 0
      ? JSON.stringify(written.calls)
      : written.text
    : `- ${written.reason}`;
}

describe('the text of an answer', () => {
  test.each<[Dialect, Action, string]>([
    [
      'calls',
      { action: 'click', target: element(5), count: 2 },
      '[{"name":"act","args":{"action":"click","element":5,"times":2}}]',
    ],
    [
      'aura',
      { action: 'fill', target: element(5), text: 'rope "8"' },
      '{"thought":"The next step.","actions":[{"action":"type","element_id":5,"text":"rope \\"8\\""}]}',
    ],
    ['deskpilot', { action: 'fill', target: element(5), text: 'rope "8"' }, 'BROWSER_TYPE(5, "rope \\"8\\"")'],
    ['deskpilot', { action: 'scroll', by: { y: 500 } }, 'SCROLL(-5)'],
    ['echo-prism', { action: 'click', target: element(5) }, 'Thought: The next step.\nAction: Click(220, 220)'],
    [
      'echo-prism',
      { action: 'fill', target: element(5), text: 'rope' },
      'Thought: The next step.\nAction: Click(220, 220);Type("rope")',
    ],
    [
      'ui-tars',
      { action: 'click', target: element(5) },
      "Thought: The next step.\nAction: click(start_box='<|box_start|>(220,220)<|box_end|>')",
    ],
    [
      'ui-tars-1.5',
      { action: 'click', target: element(5) },
      "Thought: The next step.\nAction: click(point='<point>283 142</point>')",
    ],
    ['ui-tars', { action: 'press', key: 'Control+C' }, "Thought: The next step.\nAction: hotkey(key='control c')"],
  ])('in %s of %j', (dialect, action, text) => {
    expect(textOf(dialect, answer(act(action)))).toBe(text);
  });

  test.each([
    [['File', 'Save As'], 'SELECT_MENU("File > Save As")'],
    [['Sort', 'A > Z'], 'SELECT_MENU("Sort", "A > Z")'],
    [['A > Z'], '- DeskPilot has no menu with the name of a path'],
  ])('a menu path of DeskPilot: %j', (items, text) => {
    expect(textOf('deskpilot', answer(act({ action: 'selectMenuItem', items })), onDesktop)).toBe(text);
  });

  test('a typed text and Enter are one call of UI-TARS', () => {
    const fill = act({ action: 'fill', target: element(5), text: 'rope' });
    const enter = act({ action: 'press', key: 'Enter', target: element(5) });
    expect(textOf('ui-tars', answer(fill, enter))).toContain("type(content='rope\\n')");
  });

  test('the text of a field is replaced in a pointing dialect', () => {
    const elements = [elementAt(5, { value: 'chain', state: { focused: true } })];
    const fill = act({ action: 'fill', target: element(5), text: 'rope' });
    expect(textOf('echo-prism', answer(fill), { ...context, elements })).toContain(
      'Action: Hotkey(Control, a);PressKey(Delete);Type("rope")',
    );
  });

  test('the expected result is part of the last action', () => {
    const expects = { anchor: 'Results', indicators: ['rope', '8 mm'] };
    const toWrite = { ...answer(act({ action: 'click', target: element(5) })), expects };
    expect(textOf('deskpilot', toWrite)).toBe('BROWSER_CLICK(5);EXPECT("Results", "rope", "8 mm")');
    expect(textOf('calls', toWrite)).toContain('"title_or_url":"Results","indicators":["rope","8 mm"]');
  });
});

describe('an action that a dialect cannot express is named', () => {
  test.each<[Dialect, PlannedAction, string]>([
    ['ui-tars', act({ action: 'navigate', url: 'https://a.test' }), 'UI-TARS has no action `navigate`'],
    ['deskpilot', { kind: 'ask', question: 'Which one?' }, 'DeskPilot has no call for `ask`'],
    ['echo-prism', act({ action: 'click', target: element(5), button: 'middle' }), 'EchoPrism has no such click'],
    ['calls', act({ action: 'click', target: { role: 'button', name: 'Buy' } }), 'Function calls has no target'],
    ['echo-prism', act({ action: 'fill', target: element(5), text: 'Action: x' }), 'echo-prism cannot express'],
    ['calls', act({ action: 'pdf' }), 'Function calls has no action `pdf`'],
  ])('%s: %j', (dialect, planned, reason) => {
    expect(writeAnswer(dialect, answer(planned), context)).toMatchObject({
      kind: 'unwritable',
      reason: expect.stringContaining(reason) as string,
    });
  });

  test('an answer without an action', () => {
    expect(writeAnswer('calls', answer(), context).kind).toBe('unwritable');
  });
});

/* Round trips of random answers. */

/** Numbers from 0 to 1 with a fixed seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TEXTS = [
  'rope',
  '8 mm; "thick"',
  "it's",
  'a\\b',
  'line\nbreak',
  'tab\there',
  '{{credential.pin}}',
  '(x, y)',
  'né 日本 🙂',
  ')',
  '',
];

function randomAction(random: () => number): Action {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const index = () => Math.floor(random() * 20);
  const target = (): Locator =>
    random() < 0.7 ? element(index()) : { point: { x: Math.floor(random() * 1001), y: Math.floor(random() * 1001) } };
  const text = () => pick(TEXTS);
  const actions: (() => unknown)[] = [
    () => ({
      action: 'click',
      target: target(),
      ...(random() < 0.3 && { button: pick(['left', 'right', 'middle']) }),
      ...(random() < 0.3 && { count: pick([1, 2, 3]) }),
    }),
    () => ({ action: 'hover', target: target() }),
    () => ({ action: 'drag', target: target(), to: target() }),
    () => ({
      action: 'scroll',
      by: pick([{ y: 500 }, { y: -500 }, { x: 500 }, { x: -500 }]),
      ...(random() < 0.5 && { target: target() }),
    }),
    () => ({ action: 'scroll', to: pick(['top', 'bottom']) }),
    () => ({ action: 'fill', target: target(), text: text(), ...(random() < 0.3 && { append: true }) }),
    () => ({ action: 'type', text: text() }),
    () => ({ action: 'clear', target: target() }),
    () => ({
      action: 'press',
      key: pick(['Enter', 'Control+A', 'ArrowDown', 'F5', 'Escape', 'a', 'Shift+Tab', '+', ',']),
    }),
    () => ({ action: 'check', target: target() }),
    () => ({ action: 'selectOption', target: target(), option: text() }),
    () => ({ action: 'navigate', url: 'https://a.test/?q=a, b&c=(d)' }),
    () => ({ action: 'goBack' }),
    () => ({ action: 'wait', seconds: pick([0, 1, 5, 2.5]) }),
    () => ({ action: 'waitFor', condition: { text: 'Done' } }),
    () => ({ action: 'switchTab', title: 'Basket' }),
    () => ({ action: 'handleDialog', accept: random() < 0.5 }),
    () => ({ action: 'openApp', app: 'mousepad' }),
    () => ({ action: 'switchWindow', window: 'Save As' }),
    () => ({ action: 'selectMenuItem', items: pick([['File', 'Save As'], ['Sort > by', 'A > Z'], ['Sort A->Z']]) }),
    () => ({ action: 'fillFileDialog', path: 'notes/today.txt' }),
  ];
  const parsed = actionSchema.safeParse(pick(actions)());
  return parsed.success ? parsed.data : randomAction(random);
}

const POINTING: ReadonlySet<Dialect> = new Set(['echo-prism', 'ui-tars', 'ui-tars-1.5']);

/** A comparable form: targets as points, and what a dialect rounds or spells in another way. */
function comparable(planned: PlannedAction, dialect: Dialect, where: WriteContext): unknown {
  if (planned.kind !== 'act') return planned;
  if (!POINTING.has(dialect)) {
    const { action } = planned;
    if (action.action === 'press') return { ...action, key: action.key.toLowerCase() };
    return action.action === 'scroll' && action.by ? { ...action, by: { x: action.by.x, y: action.by.y } } : action;
  }
  const pointOf = (target: unknown) => {
    const locator = target as Locator | undefined;
    const bounds = where.elements.find(({ index }) => index === locator?.elementIndex)?.bounds;
    const point =
      locator?.point ??
      (bounds && {
        x: ((bounds.x + bounds.width / 2) / where.viewport.width) * 1000,
        y: ((bounds.y + bounds.height / 2) / where.viewport.height) * 1000,
      });
    // One pixel of the image is a little more than one thousandth of its height.
    return point && { x: Math.round(point.x / 4), y: Math.round(point.y / 4) };
  };
  const { action } = planned;
  if (action.action === 'click' || action.action === 'hover')
    return {
      ...action,
      target: pointOf(action.target),
      ...(action.action === 'click' && { button: action.button ?? 'left', count: action.count ?? 1 }),
    };
  if (action.action === 'drag') return { ...action, target: pointOf(action.target), to: pointOf(action.to) };
  if (action.action === 'press') return { action: 'press', key: action.key.toLowerCase() };
  if (action.action === 'scroll') return { by: action.by };
  if (action.action === 'fill' || action.action === 'type') return { text: action.text };
  return action.action === 'wait' ? { action: 'wait' } : action;
}

const isNear = (left: unknown, right: unknown): boolean => {
  if (typeof left === 'number' && typeof right === 'number') return Math.abs(left - right) <= 1;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  const fields = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...fields].every((field) =>
    isNear((left as Record<string, unknown>)[field], (right as Record<string, unknown>)[field]),
  );
};

/** Actions that a pointing dialect writes as clicks and keys. */
const REPLACED: ReadonlySet<string> = new Set(['fill', 'clear', 'check']);

describe.each(dialects)('round trip of %s', (dialect) => {
  test.each([context, onDesktop])('5,000 random actions on a $surface', (where) => {
    const random = randomOf(7);
    const writtenByAction: Record<string, number> = {};
    for (let round = 0; round < 5000; round += 1) {
      const action = randomAction(random);
      const written = writeAnswer(dialect, answer(act(action)), where);
      if (written.kind === 'unwritable') continue;
      writtenByAction[action.action] = (writtenByAction[action.action] ?? 0) + 1;
      const focused = action.action === 'fill' ? ((action.target as Locator).elementIndex ?? 0) : null;
      const parsed = parseAnswer(
        { ...written, dialect },
        { surface: where.surface, focused, image: where.image, secrets: [] },
      );
      expect(parsed.problems).toEqual([]);
      const last = parsed.actions.at(-1) as PlannedAction;
      if (POINTING.has(dialect) && REPLACED.has(action.action)) {
        const first = comparable(parsed.actions[0] as PlannedAction, dialect, where);
        const click = comparable(
          act({ action: 'click', target: (action as { target: Locator }).target }),
          dialect,
          where,
        );
        expect([written.text, isNear(first, click)]).toEqual([written.text, true]);
        if (action.action === 'fill') expect(last).toMatchObject({ action: { text: action.text } });
        continue;
      }
      const [wanted, actual] = [act(action), last].map((planned) => comparable(planned, dialect, where));
      expect([written.text, POINTING.has(dialect) ? isNear(wanted, actual) : actual]).toEqual([
        written.text,
        POINTING.has(dialect) ? true : wanted,
      ]);
    }
    expect(writtenByAction['click']).toBeGreaterThan(100);
    expect(writtenByAction['fill']).toBeGreaterThan(50);
    expect(writtenByAction['press']).toBeGreaterThan(100);
  });

  test('endings of a goal', () => {
    const endings: PlannedAction[] = [
      { kind: 'done', claim: { answer: 'It costs (4, 50) "EUR".', anchor: 'Order', indicators: ['Paid'] } },
      { kind: 'fail', reason: 'Sold out; none left' },
      { kind: 'ask', question: 'Which one?' },
    ];
    const kinds = endings.flatMap((planned) => {
      const written = writeAnswer(dialect, answer(planned), context);
      if (written.kind === 'unwritable') return [];
      const [parsed] = parseAnswer(
        { ...written, dialect },
        { surface: 'browser', focused: null, image: null, secrets: [] },
      ).actions;
      const { claim, ...others } = planned as { kind: string; claim?: { answer: unknown } };
      expect(parsed).toMatchObject(claim ? { kind: 'done', claim: { answer: claim.answer } } : others);
      return [planned.kind];
    });
    expect(kinds).toEqual(
      { calls: ['done', 'fail', 'ask'], aura: ['done', 'fail', 'ask'], deskpilot: ['done', 'fail'] }[
        dialect as string
      ] ?? ['done', 'ask'],
    );
  });
});
