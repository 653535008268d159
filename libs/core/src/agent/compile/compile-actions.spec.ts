import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import {
  type TestAction,
  SHOP,
  element,
  TARGET_NOT_FOUND,
  goalEvents,
  goal,
  compile,
  compileErrorMessage,
  goButton,
  clickGo,
  fillSearch,
} from './compile-run.fixture.ts';

test('compiles effective actions to steps without element indexes', () => {
  const actions: TestAction[] = [
    { ...clickGo, error: TARGET_NOT_FOUND },
    { action: { action: 'wait', seconds: 2 } },
    { action: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...clickGo, height: 900 },
    { ...clickGo, isLost: true },
  ];
  const { steps, notes } = compile(goalEvents(actions));
  expect(steps).toEqual([{ action: 'click', target: [goButton, { css: '#go' }] }]);
  expect(notes).toEqual(['An action with an unknown result is left out: click it']);
});

test('keeps a scroll that made the page grow', () => {
  const actions: TestAction[] = [
    { action: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...clickGo, height: 2000 },
  ];
  expect(compile(goalEvents(actions)).steps.map(({ action }) => action)).toEqual(['scroll', 'click']);
});

test('drops text that the next action replaces', () => {
  const { steps } = compile(goalEvents([fillSearch('robe'), fillSearch('rope')]));
  expect(steps).toMatchObject([{ text: 'rope' }]);
});

test.each<[what: string, from: string, to: string, expected: object | undefined]>([
  ['another address', '/login', '/catalogue', { url: '*/catalogue*' }],
  ['the same', '/login', '/login', undefined],
  ['a variable number', '/new', '/orders/10234', { url: '*/orders/*' }],
  ['a query', '/catalogue', '/catalogue?q=rope&page=2', { url: '*/catalogue?q=rope&page=2*' }],
  ['a query with an input', '/catalogue', '/catalogue?q=blue+line', { url: '*/catalogue?q=*' }],
  ['no condition that the previous page fulfills', '/orders/new', '/orders/10234', undefined],
  ['an address that had more before', '/catalogue?q=rope', '/catalogue', { url: '*/catalogue' }],
])('waits for %s', (_title, startPath, endPath, expected) => {
  const { steps } = compile(
    goalEvents([{ ...clickGo, on: startPath }], { end: endPath }),
    { inputs: { line: { type: 'string' } } },
    { inputs: { line: 'blue line' } },
  );
  expect((steps[0] as { expect?: object }).expect).toEqual(expected);
});

test('waits for the title if the URL stays, and includes only origins of the workflow', () => {
  const actions: TestAction[] = [clickGo, { ...clickGo, title: 'Basket' }];
  expect(compile(goalEvents(actions)).steps).toMatchObject([{ expect: { title: 'Basket' } }, { action: 'click' }]);
  const { steps } = compile(goalEvents([clickGo], { step: 1, end: '/done' }), {
    steps: [{ action: 'navigate', url: `${SHOP}/` }, goal],
  });
  expect(steps[1]).toMatchObject({ expect: { url: `${SHOP}/done*` } });
});

test('waits for the criteria of the author, marks a risky action as not idempotent, keeps `if`', () => {
  const { steps } = compile(goalEvents([{ ...clickGo, irreversibleEffect: 'pay' }]), {
    steps: [{ ...goal, if: '1 == 1', expect: { url: '/thanks', text: ['Thank you'] }, autoApprove: ['pay'] }],
  });
  expect(steps).toMatchObject([
    {
      action: 'group',
      if: '1 == 1',
      steps: [
        { action: 'click', idempotent: false },
        { action: 'waitFor', condition: { url: '/thanks', text: ['Thank you'] } },
      ],
    },
  ]);
});

test('uses canvas targets by point, with the scrolls before and a note', () => {
  const canvasPoint: Locator = { point: { x: 500, y: 250 } };
  const actions: TestAction[] = [
    { action: { action: 'scroll', by: { y: 400 } } },
    { action: { action: 'click', target: canvasPoint } },
    { action: { action: 'drag', target: canvasPoint, to: { point: { x: 600, y: 250 } } } },
  ];
  const { steps, notes } = compile(goalEvents(actions));
  expect(steps).toEqual([
    { action: 'scroll', by: { y: 400 } },
    { action: 'click', target: canvasPoint },
    { action: 'drag', target: canvasPoint, to: { point: { x: 600, y: 250 } } },
  ]);
  expect(notes).toEqual(
    [1, 2].map(() => expect.stringContaining('Only a point in the viewport identifies the target')),
  );
});

describe('row of a list', () => {
  const row = (name: string): Locator => ({ css: 'tr', has: { text: name, exact: true } });
  const checkboxOf = (name: string): Locator => ({ role: 'checkbox', within: row(name) });
  const positional: Locator = { css: '#rows > tr:nth-of-type(2) > td > input' };
  const clickCheckbox = (locators: Locator[], overrides: Partial<TestAction> = {}): TestAction => ({
    action: { action: 'click', target: element },
    locators,
    ...overrides,
  });

  test('is found by identifying text, never by position', () => {
    expect(compile(goalEvents([clickCheckbox([checkboxOf('web-1'), positional])])).steps).toEqual([
      { action: 'click', target: checkboxOf('web-1') },
    ]);
  });

  test('may be identified by an input value', () => {
    const inputs = { host: { type: 'string' as const } };
    const { steps } = compile(
      goalEvents([clickCheckbox([checkboxOf('web-1'), positional])]),
      { inputs },
      { inputs: { host: 'web-1' } },
    );
    expect(steps).toEqual([{ action: 'click', target: checkboxOf('{{inputs.host}}') }]);
  });

  test('without identifying text is rejected; other positional targets get a note', () => {
    const unknown: Locator = { role: 'checkbox', within: { css: '#rows tr', nth: 1 } };
    expect(compileErrorMessage(goalEvents([clickCheckbox([unknown])]))).toMatch(/only its position identifies its row/);
    const { steps, notes } = compile(goalEvents([clickCheckbox([positional])]));
    expect(steps).toEqual([{ action: 'click', target: positional }]);
    expect(notes).toEqual([expect.stringContaining('Only the position on the page identifies the target')]);
  });

  test('is rejected if the action selects all rows', () => {
    const rows = ['web-1 | up', 'web-2 | up'];
    for (const selectAll of [
      { role: 'checkbox', within: { css: 'thead' } },
      { role: 'checkbox', name: 'Select all' },
    ])
      expect(compileErrorMessage(goalEvents([clickCheckbox([selectAll], { rows })]))).toMatch(
        /selects every row of a list/,
      );
  });

  test.each<[string, string[], string[], object | undefined]>([
    [
      'a row that the filter removed',
      ['mail-1 | Grace', 'web-1 | Ada'],
      ['web-1 | Ada'],
      { text: 'mail-1', exact: true },
    ],
    ['not one whose state changed', ['mail-1 | up', 'web-1 | up'], ['mail-1 | down', 'web-1 | up'], undefined],
    ['not one that left the view', ['mail-1 | Grace', 'web-1 | Ada'], ['new-1 | Eve', 'mail-1 | Grace'], undefined],
  ])('makes the next step wait for the recorded list: %s', (_, rowsBefore, rowsAfter, hidden) => {
    const actions: TestAction[] = [
      fillSearch('Ada', { rows: rowsBefore }),
      { action: { action: 'wait', seconds: 2 }, rows: rowsBefore },
      clickCheckbox([checkboxOf('web-1')], { rows: rowsAfter }),
    ];
    const [typed] = compile(goalEvents(actions)).steps;
    expect((typed as { expect?: { hidden?: object } }).expect?.hidden).toEqual(hidden);
  });
});

test('compiles the drop target of a drag, and rejects a run without its locators', () => {
  const dragAction: Action = { action: 'drag', target: element, to: { elementIndex: 7 } };
  const drag: TestAction = { action: dragAction, locators: [{ text: 'Card' }], endLocators: [{ css: '#lane' }] };
  expect(compile(goalEvents([drag])).steps).toEqual([
    { action: 'drag', target: { text: 'Card', exact: true }, to: { css: '#lane' } },
  ]);
  expect(compileErrorMessage(goalEvents([{ ...drag, endLocators: [] }]))).toMatch(
    /drop target: only its index identifies its element/,
  );
});

describe('wait for an expected text that appeared', () => {
  const compiledExpectations = (indicators: string[], query: string | null = null) => {
    const inputs = query === null ? {} : { inputs: { query: { type: 'string' as const } } };
    const options = query === null ? {} : { inputs: { query } };
    return compile(goalEvents([{ ...clickGo, metTexts: indicators }]), inputs, options).steps.map((step) =>
      'expect' in step ? step.expect : undefined,
    );
  };

  test.each<[string, string[], string | null, string | undefined]>([
    ['the first that is the same the next time', ['Order 17', 'Saved'], null, 'Saved'],
    ['not one that is long', ['x'.repeat(100)], null, undefined],
    [
      'one that has an input in it',
      ['Saved', 'Results for mooring rope'],
      'mooring rope',
      'Results for {{inputs.query}}',
    ],
    ['not another, where there are inputs', ['Saved'], 'mooring rope', undefined],
  ])('%s', (_, indicators, query, text) => expect(compiledExpectations(indicators, query)).toEqual([text && { text }]));

  test('uses the URL instead after a navigation', () => {
    const actions: TestAction[] = [{ ...clickGo, on: '/', metTexts: ['Saved'] }];
    expect(compile(goalEvents(actions, { end: '/saved' })).steps).toMatchObject([
      { expect: { url: expect.stringContaining('/saved') } },
    ]);
  });
});
