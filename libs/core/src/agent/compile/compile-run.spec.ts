import {
  fieldErrors,
  createEvent,
  workflowDefinitionSchema,
  type Action,
  type EventData,
  type Json,
  type Locator,
  type PilothouseError,
  type RunEvent,
  type WorkflowDefinitionInput,
} from '@pilothouse/contract';
import { compileRun } from './compile-run.ts';

type CompletedAction = EventData<'agent.action_completed'>;

/** Action of an agent: the action, its page and the locators of its element. */
interface TestAction {
  readonly move: Action;
  readonly on?: string;
  readonly title?: string;
  readonly height?: number;
  readonly locators?: Locator[];
  readonly error?: CompletedAction['error'];
  readonly guard?: CompletedAction['effect'];
  /** Texts of the rows in view before the action. */
  readonly rows?: string[];
  readonly ends?: Locator[];
  readonly approval?: string;
  /** Text answer of a person before the action. */
  readonly answeredQuestion?: string;
  /** Expected texts that the action made appear. */
  readonly held?: string[];
  /** Default: the next number. */
  readonly sequence?: number;
  /** The worker was lost during the action. */
  readonly isLost?: boolean;
}

const SHOP = 'https://shop.test';
const TIME = new Date(0);
const element = { elementIndex: 5 };
const TARGET_NOT_FOUND: CompletedAction['error'] = { code: 'TARGET_NOT_FOUND', message: 'It is gone', retry: 'no' };

/** Events of a goal that these actions reached. */
function goalEvents(
  actions: readonly TestAction[],
  {
    step = 0,
    value = null,
    reads = [],
    end = '/',
    place = 'goal',
  }: {
    step?: number;
    value?: Json;
    reads?: EventData<'agent.answer_sources'>['sources'];
    end?: string;
    place?: string;
  } = {},
): RunEvent[] {
  const ref = { step, id: 'goal', turn: 1, path: place };
  let sequence = 0;
  const drafts = actions.flatMap(({ move, on = '/', title = 'Shop', height = 900, ...testAction }) => {
    sequence = testAction.sequence ?? sequence + 1;
    const approval = testAction.approval ?? null;
    const answerEvents = testAction.answeredQuestion
      ? [
          createEvent(
            'agent.note',
            'x',
            { ...ref, kind: 'answer', note: 'yes', question: testAction.answeredQuestion },
            TIME,
          ),
        ]
      : [];
    const started = createEvent(
      'agent.action_started',
      'x',
      { ...ref, sequence, action: move, title: `${move.action} it`, approval },
      TIME,
    );
    if (testAction.isLost) return [...answerEvents, started];
    const acted = {
      ...ref,
      sequence,
      durationMs: 1,
      error: testAction.error ?? null,
      page: null,
      pageBefore: { url: `${SHOP}${on}`, title, height },
      locators: testAction.locators ?? [],
      effect: testAction.guard ?? null,
      ...(testAction.rows && { rows: testAction.rows }),
      ...(testAction.ends && { endLocators: testAction.ends }),
    };
    const expectation = { anchor: null, indicators: testAction.held ?? [] };
    const verified = createEvent(
      'agent.note',
      'x',
      { ...ref, kind: 'verified', note: 'x', newlyMet: expectation },
      TIME,
    );
    return [
      ...answerEvents,
      started,
      createEvent('agent.action_completed', 'x', acted, TIME),
      ...(testAction.held ? [verified] : []),
    ];
  });
  const page = { url: `${SHOP}${end}`, title: 'Shop' };
  const { turn, ...stepRef } = ref;
  return [
    ...drafts,
    createEvent('agent.answer_sources', 'x', { ...ref, turn, sources: reads, missing: [] }, TIME),
    createEvent('step.completed', 'x', { ...stepRef, tier: 'text', durationMs: 1, located: null, value, page }, TIME),
  ].map((draft, index) => ({ ...draft, seq: index + 1, run: '0197f3c2-1a2b-7000-8000-000000000000', epoch: 1 }));
}

/** Event without locators. */
function withoutLocators(event: RunEvent): RunEvent {
  if (event.type !== 'agent.action_completed') return event;
  const { pageBefore, locators, effect, ...data } = event.data;
  return { ...event, data: { ...data, pageBefore: null, locators: [], effect: null } };
}

const goal = { id: 'goal', action: 'goal' as const, goal: 'Find a rope' };

function compile(
  events: readonly RunEvent[],
  source: Partial<WorkflowDefinitionInput> = {},
  options: { inputs?: Record<string, Json>; secrets?: string[] } = {},
) {
  const definition = workflowDefinitionSchema.parse({ name: 'shop', steps: [goal], ...source });
  const compiled = compileRun({ definition, inputs: {}, secrets: [], events, ...options });
  const valid = workflowDefinitionSchema.safeParse(compiled.definition);
  expect(valid.success ? [] : fieldErrors(valid.error)).toEqual([]);
  return { ...compiled, steps: compiled.definition.steps };
}

const compileErrorMessage = (...args: Parameters<typeof compile>): string => {
  try {
    compile(...args);
  } catch (thrown) {
    expect((thrown as PilothouseError).code).toBe('CONFLICT');
    return (thrown as PilothouseError).message;
  }
  throw new Error('It was compiled');
};

const goButton: Locator = { role: 'button', name: 'Go' };
const clickGo: TestAction = { move: { action: 'click', target: element }, locators: [goButton, { css: '#go' }] };
const fillSearch = (text: string, more: Partial<TestAction> = {}): TestAction => ({
  move: { action: 'fill', target: element, text },
  locators: [{ label: 'Search' }],
  ...more,
});

test('compiles effective actions to steps without element indexes', () => {
  const actions: TestAction[] = [
    { ...clickGo, error: TARGET_NOT_FOUND },
    { move: { action: 'wait', seconds: 2 } },
    { move: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...clickGo, height: 900 },
    { ...clickGo, isLost: true },
  ];
  const { steps, notes } = compile(goalEvents(actions));
  expect(steps).toEqual([{ action: 'click', target: [goButton, { css: '#go' }] }]);
  expect(notes).toEqual(['An action with an unknown result is left out: click it']);
});

test('keeps a scroll that made the page grow', () => {
  const actions: TestAction[] = [
    { move: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...clickGo, height: 2000 },
  ];
  expect(compile(goalEvents(actions)).steps.map(({ action }) => action)).toEqual(['scroll', 'click']);
});

test('drops text that the next action replaces', () => {
  const { steps } = compile(goalEvents([fillSearch('robe'), fillSearch('rope')]));
  expect(steps).toMatchObject([{ text: 'rope' }]);
});

test.each<[what: string, typed: string, inputs: Record<string, Json>, text: string]>([
  ['the whole text', 'mooring rope', { query: 'mooring rope' }, '{{inputs.query}}'],
  ['a part of it', 'a mooring rope, please', { query: 'mooring rope' }, 'a {{inputs.query}}, please'],
  ['the longest', 'mooring rope', { kind: 'rope', query: 'mooring rope' }, '{{inputs.query}}'],
  ['no part of a word', 'ropes', { query: 'rope' }, 'ropes'],
  ['a short one as the whole', '3', { quantity: 3 }, '{{inputs.quantity}}'],
  ['no short one inside', '3 or 4', { quantity: 3 }, '3 or 4'],
  ['a secret by its name', '{{inputs.password}}', {}, '{{inputs.password}}'],
  ['braces that were typed', '{{inputs.query}}', { query: 'x' }, '\\{{inputs.query}}'],
  ['a value after two braces', '{{rope', { query: 'rope' }, '\\{{{{inputs.query}}'],
  ['a value after a backslash', '\\rope', { query: 'rope' }, '\\\\{{inputs.query}}'],
  ['a secret after a backslash', '\\{{inputs.password}}', {}, '\\\\{{inputs.password}}'],
  ['neither of two that are the same', 'rope', { one: 'rope', other: 'rope' }, 'rope'],
])('replaces %s with a template', (_title, typed, values, text) => {
  const names = [...Object.keys(values), 'password', 'query'];
  const inputs = Object.fromEntries(
    names.map((name) => [
      name,
      name === 'password' ? { type: 'string' as const, secret: true } : { type: 'string' as const },
    ]),
  );
  const { steps, notes } = compile(
    goalEvents([fillSearch(typed)]),
    { inputs },
    { inputs: values, secrets: ['password'] },
  );
  expect(steps).toMatchObject([{ text }]);
  expect(notes).toHaveLength(Object.keys(values).length === 2 && text === 'rope' ? 1 : 0);
});

test.each<[string, string | RegExp]>([
  ['{rope}', '{rope}'],
  ['{{{rope', '\\{{{rope'],
  ['{{{inputs.password}}}', /a secret directly after a \{/],
])('creates no template directly after a brace: %s', (typed, expected) => {
  const inputs = { query: { type: 'string' as const }, password: { type: 'string' as const, secret: true } };
  const compiled = () =>
    compile(goalEvents([fillSearch(typed)]), { inputs }, { inputs: { query: 'rope' }, secrets: ['password'] });
  if (typeof expected !== 'string') return expect(compiled).toThrow(expected);
  expect(compiled()).toMatchObject({
    steps: [{ text: expected }],
    notes: [expect.stringContaining('the text is not replaced with a template')],
  });
});

test('replaces values of earlier steps that the goal uses', () => {
  const stepCompleted = createEvent(
    'step.completed',
    'x',
    { step: 0, id: 'sku', tier: 'replay', durationMs: 1, located: null, value: 'RL-1', page: null },
    TIME,
  );
  const events = [{ ...stepCompleted, seq: 1, run: 'x', epoch: 1 }, ...goalEvents([fillSearch('RL-1')], { step: 1 })];
  const sku = { id: 'sku', action: 'extract' as const, target: { css: 'td' }, value: {} };
  const { steps } = compile(events, { steps: [sku, { ...goal, goal: 'Find {{steps.sku.value}}' }] });
  expect(steps).toMatchObject([sku, { text: '{{steps.sku.value}}' }]);
});

test('keeps only locators with the input value if the name contains one', () => {
  const selectOption: TestAction = {
    move: { action: 'click', target: element },
    locators: [{ role: 'option', name: 'Mooring rope' }, { css: '#list > li:nth-of-type(1)' }],
  };
  const { steps } = compile(
    goalEvents([selectOption]),
    { inputs: { query: { type: 'string' } } },
    { inputs: { query: 'Mooring rope' } },
  );
  expect(steps).toEqual([{ action: 'click', target: { role: 'option', name: '{{inputs.query}}' } }]);
});

test.each<[what: string, from: string, to: string, expected: object | undefined]>([
  ['another address', '/login', '/catalogue', { url: '*/catalogue*' }],
  ['the same', '/login', '/login', undefined],
  ['a variable number', '/new', '/orders/10234', { url: '*/orders/*' }],
  ['a query', '/catalogue', '/catalogue?q=rope&page=2', { url: '*/catalogue?q=rope&page=2*' }],
  ['a query with an input', '/catalogue', '/catalogue?q=blue+line', { url: '*/catalogue?q=*' }],
  ['no condition that the previous page fulfills', '/orders/new', '/orders/10234', undefined],
  ['an address that had more before', '/catalogue?q=rope', '/catalogue', { url: '*/catalogue' }],
])('waits for %s', (_title, from, to, expected) => {
  const { steps } = compile(
    goalEvents([{ ...clickGo, on: from }], { end: to }),
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
  const { steps } = compile(goalEvents([{ ...clickGo, guard: 'pay' }]), {
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

describe('answer', () => {
  const cell: Locator = { css: '#rows > td' };
  const output = '{{steps.goal.value}}';

  test('is read from its element', () => {
    const { definition, notes } = compile(
      goalEvents([clickGo], { value: 4.5, reads: [{ pointer: '', locators: [cell] }] }),
      {
        output,
        outputSchema: { type: 'number' },
      },
    );
    expect(definition.steps.at(-1)).toEqual({
      id: 'goal',
      action: 'extract',
      target: [cell],
      value: { type: 'number' },
    });
    expect(definition).toMatchObject({ output, outputSchema: { type: 'number' } });
    expect(notes).toEqual([expect.stringContaining('is read from its element in this run')]);
  });

  test('of several parts is combined under the name of the goal', () => {
    const reads = [
      { pointer: '/sku', locators: [cell] },
      { pointer: '/price/amount', locators: [{ testId: 'price' }] },
    ];
    const value = { sku: 'RL-1', price: { amount: 2 } };
    const { definition } = compile(goalEvents([clickGo], { value, reads }), {
      output: '{{steps.goal.value.price.amount}}',
    });
    expect(definition.steps.at(-1)).toEqual({ id: 'goal', action: 'call', workflow: 'answer-1' });
    expect(definition.workflows).toMatchObject({
      'answer-1': {
        steps: [{ target: [cell] }, { target: [{ testId: 'price' }], value: { type: 'number' } }],
        output: { sku: '{{steps.part1.value}}', price: { amount: '{{steps.part2.value}}' } },
      },
    });
  });

  test('without locators is left out with a note', () => {
    const value = { sku: 'RL-1', price: 2 };
    const { definition, notes } = compile(
      goalEvents([clickGo], { value, reads: [{ pointer: '/sku', locators: [cell] }] }),
      {
        output,
        outputSchema: { type: 'object' },
      },
    );
    expect(definition.steps).toHaveLength(1);
    expect(definition).not.toHaveProperty('output');
    expect(definition).not.toHaveProperty('outputSchema');
    expect(notes).toEqual([
      expect.stringContaining('the answer is not carried over; /price'),
      expect.stringContaining('has no output'),
    ]);
  });

  test('without locators rejects the run if a later step needs it', () => {
    const steps = [goal, { action: 'navigate' as const, url: `${SHOP}/{{steps.goal.value}}` }];
    expect(compileErrorMessage(goalEvents([clickGo], { value: 'RL-1' }), { steps })).toMatch(
      /not be valid at \/steps\/1\/url.*not carried/,
    );
  });
});

test('uses the last start of a goal, and notes a lost worker', () => {
  const events = goalEvents([fillSearch('one'), fillSearch('two'), { ...fillSearch('three'), sequence: 1 }, clickGo]);
  const { steps, notes } = compile(events.map((event, index) => ({ ...event, epoch: index < 4 ? 1 : 2 })));
  expect(steps).toMatchObject([{ text: 'three' }, { action: 'click' }]);
  expect(notes).toEqual([expect.stringContaining('a worker was lost')]);
});

test('uses canvas targets by point, with the scrolls before and a note', () => {
  const canvasPoint: Locator = { point: { x: 500, y: 250 } };
  const actions: TestAction[] = [
    { move: { action: 'scroll', by: { y: 400 } } },
    { move: { action: 'click', target: canvasPoint } },
    { move: { action: 'drag', target: canvasPoint, to: { point: { x: 600, y: 250 } } } },
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
  const clickCheckbox = (locators: Locator[], more: Partial<TestAction> = {}): TestAction => ({
    move: { action: 'click', target: element },
    locators,
    ...more,
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
  ])('makes the next step wait for the recorded list: %s', (_, before, after, hidden) => {
    const actions: TestAction[] = [
      fillSearch('Ada', { rows: before }),
      { move: { action: 'wait', seconds: 2 }, rows: before },
      clickCheckbox([checkboxOf('web-1')], { rows: after }),
    ];
    const [typed] = compile(goalEvents(actions)).steps;
    expect((typed as { expect?: { hidden?: object } }).expect?.hidden).toEqual(hidden);
  });
});

test('compiles the drop target of a drag, and rejects a run without its locators', () => {
  const dragAction: Action = { action: 'drag', target: element, to: { elementIndex: 7 } };
  const drag: TestAction = { move: dragAction, locators: [{ text: 'Card' }], ends: [{ css: '#lane' }] };
  expect(compile(goalEvents([drag])).steps).toEqual([
    { action: 'drag', target: { text: 'Card' }, to: { css: '#lane' } },
  ]);
  expect(compileErrorMessage(goalEvents([{ ...drag, ends: [] }]))).toMatch(
    /drop target: only its index identifies its element/,
  );
});

describe('question to a person', () => {
  test('is repeated before the same action, with the new values', () => {
    const actions: TestAction[] = [
      fillSearch('web-1'),
      { ...clickGo, guard: 'delete', approval: 'use button “Delete web-1”' },
    ];
    const inputs = { host: { type: 'string' as const } };
    const { steps } = compile(goalEvents(actions), { inputs }, { inputs: { host: 'web-1' } });
    expect(steps).toMatchObject([
      { action: 'fill' },
      { action: 'click', idempotent: false, approval: 'Allow it to use button “Delete {{inputs.host}}”' },
    ]);
    expect(steps[0]).not.toHaveProperty('approval');
  });

  test('in text form, or about a failed action, is asked before the next step', () => {
    const actions: TestAction[] = [
      { ...clickGo, error: TARGET_NOT_FOUND, approval: 'use button “Go”' },
      { ...clickGo, answeredQuestion: 'Are these the right ones?' },
    ];
    expect(compile(goalEvents(actions)).steps).toMatchObject([
      { approval: 'Allow it to use button “Go”; Are these the right ones?' },
    ]);
  });

  test('that is unknown rejects the run', () => {
    const decision = createEvent(
      'agent.note',
      'x',
      { step: 0, path: 'goal', id: 'goal', turn: 1, kind: 'approval_decision', note: 'yes' },
      TIME,
    );
    const events = goalEvents([clickGo]).map((event) => {
      const { approval, ...data } = event.data;
      return { ...event, data };
    });
    const [first] = events;
    const decisionEvents = first ? [{ ...decision, seq: 0, run: first.run, epoch: 1 }] : [];
    expect(compileErrorMessage([...decisionEvents, ...events])).toMatch(/a person approved an action/);
  });
});

describe('manual actions', () => {
  const password: Locator = { label: 'Your password' };
  const canvasPoint: Locator = { point: { x: 100, y: 100 } };
  /** Manual actions of Ada, each with the resulting page. */
  const manualActionEvents = (manualActions: [Action, string?][], step = 0, place?: string): RunEvent[] =>
    manualActions.map(([move, on = '/'], index) => {
      const page = { url: `${SHOP}${on}`, title: 'Shop' };
      const ref = { step, id: null, ...(place !== undefined && { path: place }) };
      const data = { ...ref, operator: 'Ada', action: move, title: move.action, secret: false, page };
      const run = '0197f3c2-1a2b-7000-8000-000000000000';
      return { ...createEvent('control.action', 'x', data, TIME), seq: index, run, epoch: 1 };
    });
  const fillPassword: Action = { action: 'fill', target: [password, canvasPoint], text: '••••', append: true };
  const logIn: Action = { action: 'click', target: [{ role: 'button', name: 'Log in' }, canvasPoint] };

  test('become steps; a secret becomes one input, even if typed several times', () => {
    const steps = [
      { action: 'navigate' as const, url: `${SHOP}/` },
      { id: 'out', action: 'pdf' as const },
    ];
    const events = manualActionEvents([[fillPassword], [fillPassword], [logIn, '/home']], 1, 'out');
    const [firstStepEnd] = goalEvents([]).slice(-1);
    const compiled = compile([...(firstStepEnd ? [firstStepEnd] : []), ...events], { steps });
    expect(compiled.definition.inputs).toEqual({ yourPassword: { type: 'string', secret: true } });
    expect(compiled.steps).toEqual([
      { action: 'navigate', url: `${SHOP}/` },
      { action: 'fill', target: password, text: '{{inputs.yourPassword}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: `${SHOP}/home*` } },
      { id: 'out', action: 'pdf' },
    ]);
    expect(compiled.notes).toEqual(['step out: manual actions of Ada became steps']);
  });

  test('of a goal keep their position and use templates; a payment is not repeated', () => {
    const pay: Action = { action: 'click', target: [{ role: 'button', name: 'Pay now' }] };
    const text: Action = { action: 'fill', target: [{ label: 'Code' }], text: 'rope', append: true };
    const [started, completedEvent, ...endEvents] = goalEvents([clickGo]);
    const events = [started, completedEvent, ...manualActionEvents([[text], [pay]], 0, 'goal'), ...endEvents].flatMap(
      (one) => one ?? [],
    );
    const { steps } = compile(events, { inputs: { code: { type: 'string' } } }, { inputs: { code: 'rope' } });
    expect(steps).toEqual([
      { action: 'click', target: [goButton, { css: '#go' }] },
      { action: 'fill', target: { label: 'Code' }, text: '{{inputs.code}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Pay now' }, idempotent: false },
    ]);
  });

  test('in a loop are left out with a note', () => {
    const forEachStep = { action: 'forEach' as const, in: [1], steps: [{ action: 'pdf' as const }] };
    const [manualEvent] = manualActionEvents([[logIn]]);
    const eventInLoop = manualEvent && { ...manualEvent, data: { ...manualEvent.data, path: '2[0]/1' } };
    const { notes } = compile([...manualActionEvents([[logIn]]), ...(eventInLoop ? [eventInLoop] : [])], {
      steps: [{ action: 'pdf' }, forEachStep],
    });
    expect(notes).toEqual(['step 1: manual actions of Ada became steps', 'step 2[0]/1: manual actions are left out']);
  });
});

test('compiles goals in groups, and keeps goals of loops without iterations with a note', () => {
  const group = { action: 'group' as const, if: '1 == 2', steps: [clickGo.move as never], else: [goal] };
  const loop = { action: 'forEach' as const, in: [1, 2], steps: [{ ...goal, id: 'again' }] };
  const { steps, notes } = compile(goalEvents([{ ...clickGo }], { step: 0, place: '1/else/goal' }), {
    steps: [{ ...group, steps: [{ action: 'goBack' as const }] }, loop],
  });
  expect(steps).toMatchObject([{ else: [{ action: 'click' }] }, { steps: [{ action: 'goal' }] }]);
  expect(notes).toEqual([expect.stringContaining('goal in a loop')]);
});

describe('goal in a loop', () => {
  const forEachStep = { id: 'found', action: 'goal' as const, goal: 'Find {{vars.what.name}}' };
  const items = [
    { name: 'tarred rope', sku: 'RL-1' },
    { name: 'chain', sku: 'RL-2' },
  ];
  const loop = {
    action: 'forEach' as const,
    in: 'inputs.wanted',
    as: 'what',
    steps: [forEachStep],
    collect: '{{steps.found.value}}',
  };
  const iterationEvents = (iteration: number, text: string, more: readonly TestAction[] = []) =>
    goalEvents([fillSearch(text), { ...clickGo, locators: [{ role: 'link', name: `${text}, new` }] }, ...more], {
      place: `1[${iteration}]/found`,
      value: `RL-${iteration}`,
      reads: [{ pointer: '', locators: [{ css: '.sku' }] }],
    });
  const source: Partial<WorkflowDefinitionInput> = {
    inputs: { wanted: { type: 'array' }, other: { type: 'array', optional: true } },
    steps: [loop],
  };
  const options = { inputs: { wanted: items } };

  test('becomes steps if all iterations did the same with their items', () => {
    const { steps, notes } = compile(
      [...iterationEvents(1, 'tarred rope'), ...iterationEvents(2, 'chain')],
      source,
      options,
    );
    expect(steps).toMatchObject([
      {
        action: 'forEach',
        in: 'inputs.wanted',
        steps: [
          { action: 'fill', text: '{{vars.what.name}}' },
          { action: 'click', target: { role: 'link', name: '{{vars.what.name}}, new' } },
          { id: 'found', action: 'extract', target: [{ css: '.sku' }] },
        ],
      },
    ]);
    expect(notes).toHaveLength(1);
  });

  test('notes differences per iteration, and common notes once', () => {
    const lostClick = { ...clickGo, isLost: true };
    const first = iterationEvents(1, 'tarred rope', [lostClick]);
    const { notes } = compile([...first, ...iterationEvents(2, 'chain')], source, options);
    expect(notes).toEqual([
      expect.stringContaining('An action with an unknown result is left out'),
      expect.stringContaining('is read from its element'),
    ]);
  });

  /** Without locators of the answer. */
  const eventsWithoutSources = (iteration: number, typed: string) =>
    iterationEvents(iteration, typed).filter(({ type }) => type !== 'agent.answer_sources');

  test.each<[string, RunEvent[], Partial<WorkflowDefinitionInput>]>([
    [
      'found answers that cannot be read again',
      [...eventsWithoutSources(1, 'tarred rope'), ...eventsWithoutSources(2, 'chain')],
      {},
    ],
    [
      'did more in one iteration',
      [...iterationEvents(1, 'tarred rope'), ...iterationEvents(2, 'chain', [clickGo])],
      {},
    ],
    [
      'typed a text that is not of its iteration',
      [...iterationEvents(1, 'tarred rope'), ...iterationEvents(2, 'anchor')],
      {},
    ],
    ['had one iteration only', iterationEvents(1, 'tarred rope'), {}],
    [
      'used an unknown list',
      [...iterationEvents(1, 'tarred rope'), ...iterationEvents(2, 'chain')],
      { steps: [{ ...loop, in: 'inputs.other' }] },
    ],
  ])('stays a goal if the run %s', (_, events, more) => {
    const steps = [...(more.steps ?? [loop]), { action: 'goBack' as const }, goal];
    const last = goalEvents([clickGo], { place: 'goal' });
    const { definition, notes } = compile([...events, ...last], { ...source, steps }, options);
    expect(definition.steps).toMatchObject([
      { steps: [{ action: 'goal' }] },
      { action: 'goBack' },
      { action: 'click' },
    ]);
    expect(notes).toEqual([expect.stringContaining('a goal in a loop differs in each iteration')]);
  });
});

describe('goal in a called workflow', () => {
  const inputs = { what: { type: 'string' as const }, pass: { type: 'string' as const, secret: true } };
  const subworkflow = {
    inputs,
    steps: [{ id: 'found', action: 'goal' as const, goal: 'Find {{inputs.what}}' }],
    output: '{{steps.found.value}}',
  };
  const callOf = (workflow: string) => ({
    id: 'search',
    action: 'call' as const,
    workflow,
    inputs: { what: '{{inputs.item}}', pass: '{{inputs.token}}' },
  });
  const source = (workflow: string, more: Partial<WorkflowDefinitionInput> = {}): Partial<WorkflowDefinitionInput> => ({
    inputs: { item: { type: 'string' }, token: { type: 'string', secret: true } },
    steps: [{ action: 'goBack' }, callOf(workflow)],
    workflows: { [workflow]: subworkflow },
    output: '{{steps.search.value}}',
    ...more,
  });
  const given = { inputs: { item: 'tarred rope' }, secrets: ['token'] };
  const events = goalEvents(
    [fillSearch('tarred rope'), fillSearch('{{inputs.token}}', { locators: [{ label: 'PIN' }] }), clickGo],
    {
      place: 'search/found',
      value: 'RL-1',
      reads: [{ pointer: '', locators: [{ css: '.sku' }] }],
    },
  );
  const steps = [
    { action: 'fill', text: '{{inputs.what}}' },
    { action: 'fill', text: '{{inputs.pass}}' },
    { action: 'click' },
    { action: 'extract', target: [{ css: '.sku' }] },
  ];

  test('becomes steps with the inputs of the called workflow, if it is in the same file', () => {
    const { definition, notes } = compile(events, source('find'), given);
    expect(definition.steps[1]).toMatchObject({ action: 'call', workflow: 'find' });
    expect(definition.workflows).toMatchObject({ find: { steps } });
    expect(notes).toEqual([expect.stringContaining('is read from its element')]);
  });

  /** Variants of the inputs of the call. */
  const withCallInputs = (more: object, moreInputs: object = {}): Partial<WorkflowDefinitionInput> => {
    const { id, action, workflow, inputs: stepRef } = callOf('find');
    return source('find', {
      steps: [{ action: 'goBack' }, { id, action, workflow, inputs: { ...stepRef, ...more } }],
      workflows: { find: { ...subworkflow, inputs: { ...inputs, ...moreInputs } } },
    });
  };

  test('uses its own input for a secret that the call names with spaces', () => {
    expect(compile(events, withCallInputs({ pass: '{{ inputs.token }}' }), given).definition.workflows).toMatchObject({
      find: { steps },
    });
  });

  test.each<[string, RunEvent[], Partial<WorkflowDefinitionInput>]>([
    ['two inputs are given the same', events, withCallInputs({ again: '{{inputs.token}}' }, { again: inputs.pass })],
    [
      'the agent wrote the name differently',
      goalEvents([fillSearch('{{ inputs.token }}'), clickGo], { place: 'search/found' }),
      source('find', { output: 1 }),
    ],
  ])('never types the name of a secret: %s', (_, done, from) => {
    expect(compileErrorMessage(done, from, given)).toMatch(/it contains a secret that is not an input of the workflow/);
  });

  test('becomes steps of a copy for a workflow of the project', () => {
    const { definition, notes } = compile(events, source('find@3'), given);
    expect(definition.steps[1]).toMatchObject({ action: 'call', workflow: 'find-compiled' });
    expect(Object.keys(definition.workflows ?? {})).toEqual(['find-compiled']);
    expect(definition.workflows?.['find-compiled']).toMatchObject({ steps });
    expect(notes.join()).toContain('find@3 is unchanged');
  });

  const subworkflowGoal = {
    place: 'search/found',
    value: 'RL-1',
    reads: [{ pointer: '', locators: [{ css: '.sku' }] }],
  };
  test.each<[string, RunEvent[], RegExp]>([
    [
      'its output needs an answer that cannot be read again',
      goalEvents([clickGo], { place: 'search/found', value: 'RL-1' }),
      /needs/,
    ],
    [
      'only an index identifies an element',
      goalEvents([{ ...clickGo, locators: [] }], subworkflowGoal),
      /only its index identifies its element/,
    ],
    ['a text was masked', goalEvents([clickGo, fillSearch('is ••••')], subworkflowGoal), /it contains a secret/],
    ['nothing was done', goalEvents([], { place: 'search/found' }), /no step remains/],
  ])('stays a goal if %s, and the others become steps', (title, done, reason) => {
    const find = { ...subworkflow, ...(title.startsWith('nothing') && { output: 1 }) };
    const { definition, notes } = compile(
      [...done, ...goalEvents([clickGo], { place: 'goal' })],
      { ...source('find'), steps: [{ action: 'goBack' }, callOf('find'), goal], workflows: { find } },
      given,
    );
    expect(definition.steps).toMatchObject([{}, { workflow: 'find' }, { action: 'click' }]);
    expect(definition.workflows).toMatchObject({ find });
    expect(notes).toEqual([expect.stringMatching(reason)]);
  });

  test.each<[string, Partial<WorkflowDefinitionInput>, RegExp]>([
    [
      'called twice',
      { steps: [{ action: 'goBack' }, callOf('find'), { ...callOf('find'), id: 'again' }] },
      /in 2 places/,
    ],
    [
      'called in a loop',
      { steps: [{ action: 'goBack' }, { action: 'forEach', in: [1], steps: [callOf('find')] }], output: 1 },
      /called in a loop/,
    ],
  ])('stays a goal with a note if it is %s', (_, more, why) => {
    const steps = [...(more.steps ?? []), goal];
    const { definition, notes } = compile(
      [...events, ...goalEvents([clickGo], { place: 'goal' })],
      {
        ...source('find', more),
        steps,
      },
      given,
    );
    expect(definition.workflows).toMatchObject({ find: { steps: [{ action: 'goal' }] } });
    expect(notes.join()).toMatch(why);
  });
});

test.each<[what: string, events: RunEvent[], source: Partial<WorkflowDefinitionInput>, why: RegExp]>([
  ['no goal', [], { steps: [{ action: 'goBack' }] }, /it has no goal/],
  [
    'goals in branches alone',
    [],
    {
      steps: [
        {
          action: 'parallel',
          branches: { a: [{ action: 'navigate', url: SHOP }, goal], b: [{ action: 'navigate', url: SHOP }] },
        },
      ],
    },
    /stays a goal: step 1: a branch has its own pages/,
  ],
  ['a goal that was not reached', [], {}, /stays a goal: in this run it was not reached/],
  [
    'an element that only its index identifies',
    goalEvents([{ ...clickGo, locators: [] }]),
    {},
    /only its index identifies its element/,
  ],
  ['a text that was masked', goalEvents([fillSearch('is ••••')]), {}, /it contains a secret/],
  ['events without locators', goalEvents([clickGo]).map(withoutLocators), {}, /too old to record locators/],
  ['nothing at all', goalEvents([]), {}, /no action and no answer remains/],
])('rejects a run with %s', (_title, events, source, why) => {
  expect(compileErrorMessage(events, source)).toMatch(why);
});

describe('wait for an expected text that appeared', () => {
  const compiledExpectations = (indicators: string[], query: string | null = null) => {
    const inputs = query === null ? {} : { inputs: { query: { type: 'string' as const } } };
    const options = query === null ? {} : { inputs: { query } };
    return compile(goalEvents([{ ...clickGo, held: indicators }]), inputs, options).steps.map((step) =>
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
    const actions: TestAction[] = [{ ...clickGo, on: '/', held: ['Saved'] }];
    expect(compile(goalEvents(actions, { end: '/saved' })).steps).toMatchObject([
      { expect: { url: expect.stringContaining('/saved') } },
    ]);
  });
});
