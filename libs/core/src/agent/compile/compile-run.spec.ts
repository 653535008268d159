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

type Acted = EventData<'agent.action_completed'>;

/** Action of an agent: the action, its page and the locators of its element. */
interface Did {
  readonly move: Action;
  readonly on?: string;
  readonly title?: string;
  readonly height?: number;
  readonly locators?: Locator[];
  readonly error?: Acted['error'];
  readonly guard?: Acted['effect'];
  /** Texts of the rows in view before the action. */
  readonly rows?: string[];
  readonly ends?: Locator[];
  readonly approval?: string;
  /** Text answer of a person before the action. */
  readonly answers?: string;
  /** Expected texts that the action made appear. */
  readonly held?: string[];
  /** Default: the next number. */
  readonly sequence?: number;
  /** The worker was lost during the action. */
  readonly isLost?: boolean;
}

const SHOP = 'https://shop.test';
const at = new Date(0);
const element = { elementIndex: 5 };
const failed: Acted['error'] = { code: 'TARGET_NOT_FOUND', message: 'It is gone', retry: 'no' };

/** Events of a goal that these actions reached. */
function eventsOf(
  deeds: readonly Did[],
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
  let n = 0;
  const drafts = deeds.flatMap(({ move, on = '/', title = 'Shop', height = 900, ...did }) => {
    n = did.sequence ?? n + 1;
    const approval = did.approval ?? null;
    const asked = did.answers
      ? [createEvent('agent.note', 'x', { ...ref, kind: 'answer', note: 'yes', question: did.answers }, at)]
      : [];
    const acting = createEvent(
      'agent.action_started',
      'x',
      { ...ref, sequence: n, action: move, title: `${move.action} it`, approval },
      at,
    );
    if (did.isLost) return [...asked, acting];
    const acted = {
      ...ref,
      sequence: n,
      durationMs: 1,
      error: did.error ?? null,
      page: null,
      pageBefore: { url: `${SHOP}${on}`, title, height },
      locators: did.locators ?? [],
      effect: did.guard ?? null,
      ...(did.rows && { rows: did.rows }),
      ...(did.ends && { endLocators: did.ends }),
    };
    const held = { anchor: null, indicators: did.held ?? [] };
    const noted = createEvent('agent.note', 'x', { ...ref, kind: 'verified', note: 'x', newlyMet: held }, at);
    return [...asked, acting, createEvent('agent.action_completed', 'x', acted, at), ...(did.held ? [noted] : [])];
  });
  const page = { url: `${SHOP}${end}`, title: 'Shop' };
  const { turn, ...own } = ref;
  return [
    ...drafts,
    createEvent('agent.answer_sources', 'x', { ...ref, turn, sources: reads, missing: [] }, at),
    createEvent('step.completed', 'x', { ...own, tier: 'text', durationMs: 1, located: null, value, page }, at),
  ].map((draft, index) => ({ ...draft, seq: index + 1, run: '0197f3c2-1a2b-7000-8000-000000000000', epoch: 1 }));
}

/** Event without locators. */
function asBefore(event: RunEvent): RunEvent {
  if (event.type !== 'agent.action_completed') return event;
  const { pageBefore, locators, effect, ...data } = event.data;
  return { ...event, data: { ...data, pageBefore: null, locators: [], effect: null } };
}

const goal = { id: 'goal', action: 'goal' as const, goal: 'Find a rope' };

function compile(
  events: readonly RunEvent[],
  source: Partial<WorkflowDefinitionInput> = {},
  given: { inputs?: Record<string, Json>; secrets?: string[] } = {},
) {
  const definition = workflowDefinitionSchema.parse({ name: 'shop', steps: [goal], ...source });
  const made = compileRun({ definition, inputs: {}, secrets: [], events, ...given });
  const valid = workflowDefinitionSchema.safeParse(made.definition);
  expect(valid.success ? [] : fieldErrors(valid.error)).toEqual([]);
  return { ...made, steps: made.definition.steps };
}

const refused = (...given: Parameters<typeof compile>): string => {
  try {
    compile(...given);
  } catch (thrown) {
    expect((thrown as PilothouseError).code).toBe('CONFLICT');
    return (thrown as PilothouseError).message;
  }
  throw new Error('It was compiled');
};

const button: Locator = { role: 'button', name: 'Go' };
const click: Did = { move: { action: 'click', target: element }, locators: [button, { css: '#go' }] };
const type = (text: string, more: Partial<Did> = {}): Did => ({
  move: { action: 'fill', target: element, text },
  locators: [{ label: 'Search' }],
  ...more,
});

test('compiles effective actions to steps without element indexes', () => {
  const deeds: Did[] = [
    { ...click, error: failed },
    { move: { action: 'wait', seconds: 2 } },
    { move: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...click, height: 900 },
    { ...click, isLost: true },
  ];
  const { steps, notes } = compile(eventsOf(deeds));
  expect(steps).toEqual([{ action: 'click', target: [button, { css: '#go' }] }]);
  expect(notes).toEqual(['Whether this happened nobody knows, it is left out: click it']);
});

test('keeps a scroll that made the page grow', () => {
  const deeds: Did[] = [
    { move: { action: 'scroll', to: 'bottom' }, height: 900 },
    { ...click, height: 2000 },
  ];
  expect(compile(eventsOf(deeds)).steps.map(({ action }) => action)).toEqual(['scroll', 'click']);
});

test('drops text that the next action replaces', () => {
  const { steps } = compile(eventsOf([type('robe'), type('rope')]));
  expect(steps).toMatchObject([{ text: 'rope' }]);
});

test.each<[what: string, typed: string, inputs: Record<string, Json>, text: string]>([
  ['the whole text', 'mooring rope', { query: 'mooring rope' }, '{{inputs.query}}'],
  ['a part of it', 'a mooring rope, please', { query: 'mooring rope' }, 'a {{inputs.query}}, please'],
  ['the longest', 'mooring rope', { kind: 'rope', query: 'mooring rope' }, '{{inputs.query}}'],
  ['no part of a word', 'ropes', { query: 'rope' }, 'ropes'],
  ['a short one as the whole', '3', { quantity: 3 }, '{{inputs.quantity}}'],
  ['no short one inside', '3 or 4', { quantity: 3 }, '3 or 4'],
  ['a secret, which stands by its name', '{{inputs.password}}', {}, '{{inputs.password}}'],
  ['braces that were typed', '{{inputs.query}}', { query: 'x' }, '\\{{inputs.query}}'],
  ['what stands behind two braces', '{{rope', { query: 'rope' }, '\\{{{{inputs.query}}'],
  ['what stands behind a backslash', '\\rope', { query: 'rope' }, '\\\\{{inputs.query}}'],
  ['a secret behind a backslash', '\\{{inputs.password}}', {}, '\\\\{{inputs.password}}'],
  ['neither of two that are the same', 'rope', { one: 'rope', other: 'rope' }, 'rope'],
])('replaces %s with a template', (_what, typed, values, text) => {
  const names = [...Object.keys(values), 'password', 'query'];
  const inputs = Object.fromEntries(
    names.map((name) => [
      name,
      name === 'password' ? { type: 'string' as const, secret: true } : { type: 'string' as const },
    ]),
  );
  const { steps, notes } = compile(eventsOf([type(typed)]), { inputs }, { inputs: values, secrets: ['password'] });
  expect(steps).toMatchObject([{ text }]);
  expect(notes).toHaveLength(Object.keys(values).length === 2 && text === 'rope' ? 1 : 0);
});

test.each<[string, string | RegExp]>([
  ['{rope}', '{rope}'],
  ['{{{rope', '\\{{{rope'],
  ['{{{inputs.password}}}', /a secret stood right behind a \{/],
])('creates no template directly after a brace: %s', (typed, made) => {
  const inputs = { query: { type: 'string' as const }, password: { type: 'string' as const, secret: true } };
  const compiled = () =>
    compile(eventsOf([type(typed)]), { inputs }, { inputs: { query: 'rope' }, secrets: ['password'] });
  if (typeof made !== 'string') return expect(compiled).toThrow(made);
  expect(compiled()).toMatchObject({
    steps: [{ text: made }],
    notes: [expect.stringContaining('it stays as it was typed')],
  });
});

test('replaces values of earlier steps that the goal uses', () => {
  const read = createEvent(
    'step.completed',
    'x',
    { step: 0, id: 'sku', tier: 'replay', durationMs: 1, located: null, value: 'RL-1', page: null },
    at,
  );
  const events = [{ ...read, seq: 1, run: 'x', epoch: 1 }, ...eventsOf([type('RL-1')], { step: 1 })];
  const sku = { id: 'sku', action: 'extract' as const, target: { css: 'td' }, value: {} };
  const { steps } = compile(events, { steps: [sku, { ...goal, goal: 'Find {{steps.sku.value}}' }] });
  expect(steps).toMatchObject([sku, { text: '{{steps.sku.value}}' }]);
});

test('keeps only locators with the input value if the name contains one', () => {
  const option: Did = {
    move: { action: 'click', target: element },
    locators: [{ role: 'option', name: 'Mooring rope' }, { css: '#list > li:nth-of-type(1)' }],
  };
  const { steps } = compile(
    eventsOf([option]),
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
])('waits for %s', (_what, from, to, expected) => {
  const { steps } = compile(
    eventsOf([{ ...click, on: from }], { end: to }),
    { inputs: { line: { type: 'string' } } },
    { inputs: { line: 'blue line' } },
  );
  expect((steps[0] as { expect?: object }).expect).toEqual(expected);
});

test('waits for the title if the URL stays, and includes only origins of the workflow', () => {
  const deeds: Did[] = [click, { ...click, title: 'Basket' }];
  expect(compile(eventsOf(deeds)).steps).toMatchObject([{ expect: { title: 'Basket' } }, { action: 'click' }]);
  const { steps } = compile(eventsOf([click], { step: 1, end: '/done' }), {
    steps: [{ action: 'navigate', url: `${SHOP}/` }, goal],
  });
  expect(steps[1]).toMatchObject({ expect: { url: `${SHOP}/done*` } });
});

test('waits for the criteria of the author, marks a risky action as not idempotent, keeps `if`', () => {
  const { steps } = compile(eventsOf([{ ...click, guard: 'pay' }]), {
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
      eventsOf([click], { value: 4.5, reads: [{ pointer: '', locators: [cell] }] }),
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
    expect(notes).toEqual([expect.stringContaining('is read where it stood in this run')]);
  });

  test('of several parts is combined under the name of the goal', () => {
    const reads = [
      { pointer: '/sku', locators: [cell] },
      { pointer: '/price/amount', locators: [{ testId: 'price' }] },
    ];
    const value = { sku: 'RL-1', price: { amount: 2 } };
    const { definition } = compile(eventsOf([click], { value, reads }), {
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
      eventsOf([click], { value, reads: [{ pointer: '/sku', locators: [cell] }] }),
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
    expect(refused(eventsOf([click], { value: 'RL-1' }), { steps })).toMatch(
      /not be valid at \/steps\/1\/url.*not carried/,
    );
  });
});

test('uses the last start of a goal, and notes a lost worker', () => {
  const events = eventsOf([type('one'), type('two'), { ...type('three'), sequence: 1 }, click]);
  const { steps, notes } = compile(events.map((event, index) => ({ ...event, epoch: index < 4 ? 1 : 2 })));
  expect(steps).toMatchObject([{ text: 'three' }, { action: 'click' }]);
  expect(notes).toEqual([expect.stringContaining('a worker was lost in the middle')]);
});

test('uses canvas targets by point, with the scrolls before and a note', () => {
  const spot: Locator = { point: { x: 500, y: 250 } };
  const deeds: Did[] = [
    { move: { action: 'scroll', by: { y: 400 } } },
    { move: { action: 'click', target: spot } },
    { move: { action: 'drag', target: spot, to: { point: { x: 600, y: 250 } } } },
  ];
  const { steps, notes } = compile(eventsOf(deeds));
  expect(steps).toEqual([
    { action: 'scroll', by: { y: 400 } },
    { action: 'click', target: spot },
    { action: 'drag', target: spot, to: { point: { x: 600, y: 250 } } },
  ]);
  expect(notes).toEqual([1, 2].map(() => expect.stringContaining('Its place alone tells what is meant')));
});

describe('row of a list', () => {
  const row = (name: string): Locator => ({ css: 'tr', has: { text: name, exact: true } });
  const box = (name: string): Locator => ({ role: 'checkbox', within: row(name) });
  const byPosition: Locator = { css: '#rows > tr:nth-of-type(2) > td > input' };
  const tick = (locators: Locator[], more: Partial<Did> = {}): Did => ({
    move: { action: 'click', target: element },
    locators,
    ...more,
  });

  test('is found by identifying text, never by position', () => {
    expect(compile(eventsOf([tick([box('web-1'), byPosition])])).steps).toEqual([
      { action: 'click', target: box('web-1') },
    ]);
  });

  test('may be identified by an input value', () => {
    const inputs = { host: { type: 'string' as const } };
    const { steps } = compile(eventsOf([tick([box('web-1'), byPosition])]), { inputs }, { inputs: { host: 'web-1' } });
    expect(steps).toEqual([{ action: 'click', target: box('{{inputs.host}}') }]);
  });

  test('without identifying text is rejected; other positional targets get a note', () => {
    const unknown: Locator = { role: 'checkbox', within: { css: '#rows tr', nth: 1 } };
    expect(refused(eventsOf([tick([unknown])]))).toMatch(/nothing identifies its row in the list/);
    const { steps, notes } = compile(eventsOf([tick([byPosition])]));
    expect(steps).toEqual([{ action: 'click', target: byPosition }]);
    expect(notes).toEqual([expect.stringContaining('Its position on the page alone')]);
  });

  test('is rejected if the action selects all rows', () => {
    const rows = ['web-1 | up', 'web-2 | up'];
    for (const all of [
      { role: 'checkbox', within: { css: 'thead' } },
      { role: 'checkbox', name: 'Select all' },
    ])
      expect(refused(eventsOf([tick([all], { rows })]))).toMatch(/selects every row of a list/);
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
    const deeds: Did[] = [
      type('Ada', { rows: before }),
      { move: { action: 'wait', seconds: 2 }, rows: before },
      tick([box('web-1')], { rows: after }),
    ];
    const [typed] = compile(eventsOf(deeds)).steps;
    expect((typed as { expect?: { hidden?: object } }).expect?.hidden).toEqual(hidden);
  });
});

test('compiles the drop target of a drag, and rejects a run without its locators', () => {
  const move: Action = { action: 'drag', target: element, to: { elementIndex: 7 } };
  const drag: Did = { move, locators: [{ text: 'Card' }], ends: [{ css: '#lane' }] };
  expect(compile(eventsOf([drag])).steps).toEqual([{ action: 'drag', target: { text: 'Card' }, to: { css: '#lane' } }]);
  expect(refused(eventsOf([{ ...drag, ends: [] }]))).toMatch(
    /where it was dragged to: its element is known by its number/,
  );
});

describe('question to a person', () => {
  test('is repeated before the same action, with the new values', () => {
    const deeds: Did[] = [type('web-1'), { ...click, guard: 'delete', approval: 'use button “Delete web-1”' }];
    const inputs = { host: { type: 'string' as const } };
    const { steps } = compile(eventsOf(deeds), { inputs }, { inputs: { host: 'web-1' } });
    expect(steps).toMatchObject([
      { action: 'fill' },
      { action: 'click', idempotent: false, approval: 'Allow it to use button “Delete {{inputs.host}}”' },
    ]);
    expect(steps[0]).not.toHaveProperty('approval');
  });

  test('in text form, or about a failed action, is asked before the next step', () => {
    const deeds: Did[] = [
      { ...click, error: failed, approval: 'use button “Go”' },
      { ...click, answers: 'Are these the right ones?' },
    ];
    expect(compile(eventsOf(deeds)).steps).toMatchObject([
      { approval: 'Allow it to use button “Go”; Are these the right ones?' },
    ]);
  });

  test('that is unknown rejects the run', () => {
    const noted = createEvent(
      'agent.note',
      'x',
      { step: 0, path: 'goal', id: 'goal', turn: 1, kind: 'approval_decision', note: 'yes' },
      at,
    );
    const events = eventsOf([click]).map((event) => {
      const { approval, ...data } = event.data;
      return { ...event, data };
    });
    const [first] = events;
    const decided = first ? [{ ...noted, seq: 0, run: first.run, epoch: 1 }] : [];
    expect(refused([...decided, ...events])).toMatch(/a person approved an action/);
  });
});

describe('manual actions', () => {
  const password: Locator = { label: 'Your password' };
  const spot: Locator = { point: { x: 100, y: 100 } };
  /** Manual actions of Ada, each with the resulting page. */
  const drove = (moves: [Action, string?][], step = 0, place?: string): RunEvent[] =>
    moves.map(([move, on = '/'], index) => {
      const page = { url: `${SHOP}${on}`, title: 'Shop' };
      const ref = { step, id: null, ...(place !== undefined && { path: place }) };
      const data = { ...ref, operator: 'Ada', action: move, title: move.action, secret: false, page };
      const run = '0197f3c2-1a2b-7000-8000-000000000000';
      return { ...createEvent('control.action', 'x', data, at), seq: index, run, epoch: 1 };
    });
  const hidden: Action = { action: 'fill', target: [password, spot], text: '••••', append: true };
  const logIn: Action = { action: 'click', target: [{ role: 'button', name: 'Log in' }, spot] };

  test('become steps; a secret becomes one input, even if typed several times', () => {
    const steps = [
      { action: 'navigate' as const, url: `${SHOP}/` },
      { id: 'out', action: 'pdf' as const },
    ];
    const events = drove([[hidden], [hidden], [logIn, '/home']], 1, 'out');
    const [opened] = eventsOf([]).slice(-1);
    const made = compile([...(opened ? [opened] : []), ...events], { steps });
    expect(made.definition.inputs).toEqual({ yourPassword: { type: 'string', secret: true } });
    expect(made.steps).toEqual([
      { action: 'navigate', url: `${SHOP}/` },
      { action: 'fill', target: password, text: '{{inputs.yourPassword}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: `${SHOP}/home*` } },
      { id: 'out', action: 'pdf' },
    ]);
    expect(made.notes).toEqual(['step out: what Ada did by hand are steps now']);
  });

  test('of a goal keep their position and use templates; a payment is not repeated', () => {
    const pay: Action = { action: 'click', target: [{ role: 'button', name: 'Pay now' }] };
    const text: Action = { action: 'fill', target: [{ label: 'Code' }], text: 'rope', append: true };
    const [acting, acted, ...end] = eventsOf([click]);
    const events = [acting, acted, ...drove([[text], [pay]], 0, 'goal'), ...end].flatMap((one) => one ?? []);
    const { steps } = compile(events, { inputs: { code: { type: 'string' } } }, { inputs: { code: 'rope' } });
    expect(steps).toEqual([
      { action: 'click', target: [button, { css: '#go' }] },
      { action: 'fill', target: { label: 'Code' }, text: '{{inputs.code}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Pay now' }, idempotent: false },
    ]);
  });

  test('in a loop are left out with a note', () => {
    const each = { action: 'forEach' as const, in: [1], steps: [{ action: 'pdf' as const }] };
    const [one] = drove([[logIn]]);
    const inside = one && { ...one, data: { ...one.data, path: '2[0]/1' } };
    const { notes } = compile([...drove([[logIn]]), ...(inside ? [inside] : [])], { steps: [{ action: 'pdf' }, each] });
    expect(notes).toEqual([
      'step 1: what Ada did by hand are steps now',
      'step 2[0]/1: what a person did by hand there is left out',
    ]);
  });
});

test('compiles goals in groups, and keeps goals of loops without iterations with a note', () => {
  const group = { action: 'group' as const, if: '1 == 2', steps: [click.move as never], else: [goal] };
  const loop = { action: 'forEach' as const, in: [1, 2], steps: [{ ...goal, id: 'again' }] };
  const { steps, notes } = compile(eventsOf([{ ...click }], { step: 0, place: '1/else/goal' }), {
    steps: [{ ...group, steps: [{ action: 'goBack' as const }] }, loop],
  });
  expect(steps).toMatchObject([{ else: [{ action: 'click' }] }, { steps: [{ action: 'goal' }] }]);
  expect(notes).toEqual([expect.stringContaining('goal in a loop')]);
});

describe('goal in a loop', () => {
  const each = { id: 'found', action: 'goal' as const, goal: 'Find {{vars.what.name}}' };
  const items = [
    { name: 'tarred rope', sku: 'RL-1' },
    { name: 'chain', sku: 'RL-2' },
  ];
  const loop = {
    action: 'forEach' as const,
    in: 'inputs.wanted',
    as: 'what',
    steps: [each],
    collect: '{{steps.found.value}}',
  };
  const found = (round: number, typed: string, more: readonly Did[] = []) =>
    eventsOf([type(typed), { ...click, locators: [{ role: 'link', name: `${typed}, new` }] }, ...more], {
      place: `1[${round}]/found`,
      value: `RL-${round}`,
      reads: [{ pointer: '', locators: [{ css: '.sku' }] }],
    });
  const source: Partial<WorkflowDefinitionInput> = {
    inputs: { wanted: { type: 'array' }, other: { type: 'array', optional: true } },
    steps: [loop],
  };
  const given = { inputs: { wanted: items } };

  test('becomes steps if all iterations did the same with their items', () => {
    const { steps, notes } = compile([...found(1, 'tarred rope'), ...found(2, 'chain')], source, given);
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
    const lost = { ...click, isLost: true };
    const first = found(1, 'tarred rope', [lost]);
    const { notes } = compile([...first, ...found(2, 'chain')], source, given);
    expect(notes).toEqual([
      expect.stringContaining('Whether this happened nobody knows'),
      expect.stringContaining('is read where it stood'),
    ]);
  });

  /** Without locators of the answer. */
  const unread = (round: number, typed: string) =>
    found(round, typed).filter(({ type }) => type !== 'agent.answer_sources');

  test.each<[string, RunEvent[], Partial<WorkflowDefinitionInput>]>([
    ['found answers that cannot be read again', [...unread(1, 'tarred rope'), ...unread(2, 'chain')], {}],
    ['did more in one round', [...found(1, 'tarred rope'), ...found(2, 'chain', [click])], {}],
    ['typed what is not of its round', [...found(1, 'tarred rope'), ...found(2, 'anchor')], {}],
    ['had one iteration only', found(1, 'tarred rope'), {}],
    [
      'used an unknown list',
      [...found(1, 'tarred rope'), ...found(2, 'chain')],
      { steps: [{ ...loop, in: 'inputs.other' }] },
    ],
  ])('stays a goal if the run %s', (_, events, more) => {
    const steps = [...(more.steps ?? [loop]), { action: 'goBack' as const }, goal];
    const last = eventsOf([click], { place: 'goal' });
    const { definition, notes } = compile([...events, ...last], { ...source, steps }, given);
    expect(definition.steps).toMatchObject([
      { steps: [{ action: 'goal' }] },
      { action: 'goBack' },
      { action: 'click' },
    ]);
    expect(notes).toEqual([expect.stringContaining('a goal in a loop is another one in each round')]);
  });
});

describe('goal in a called workflow', () => {
  const inputs = { what: { type: 'string' as const }, pass: { type: 'string' as const, secret: true } };
  const called = {
    inputs,
    steps: [{ id: 'found', action: 'goal' as const, goal: 'Find {{inputs.what}}' }],
    output: '{{steps.found.value}}',
  };
  const call = (workflow: string) => ({
    id: 'search',
    action: 'call' as const,
    workflow,
    inputs: { what: '{{inputs.item}}', pass: '{{inputs.token}}' },
  });
  const source = (workflow: string, more: Partial<WorkflowDefinitionInput> = {}): Partial<WorkflowDefinitionInput> => ({
    inputs: { item: { type: 'string' }, token: { type: 'string', secret: true } },
    steps: [{ action: 'goBack' }, call(workflow)],
    workflows: { [workflow]: called },
    output: '{{steps.search.value}}',
    ...more,
  });
  const given = { inputs: { item: 'tarred rope' }, secrets: ['token'] };
  const events = eventsOf([type('tarred rope'), type('{{inputs.token}}', { locators: [{ label: 'PIN' }] }), click], {
    place: 'search/found',
    value: 'RL-1',
    reads: [{ pointer: '', locators: [{ css: '.sku' }] }],
  });
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
    expect(notes).toEqual([expect.stringContaining('is read where it stood')]);
  });

  /** Variants of the inputs of the call. */
  const giving = (more: object, also: object = {}): Partial<WorkflowDefinitionInput> => {
    const { id, action, workflow, inputs: own } = call('find');
    return source('find', {
      steps: [{ action: 'goBack' }, { id, action, workflow, inputs: { ...own, ...more } }],
      workflows: { find: { ...called, inputs: { ...inputs, ...also } } },
    });
  };

  test('uses its own input for a secret that the call names with spaces', () => {
    expect(compile(events, giving({ pass: '{{ inputs.token }}' }), given).definition.workflows).toMatchObject({
      find: { steps },
    });
  });

  test.each<[string, RunEvent[], Partial<WorkflowDefinitionInput>]>([
    ['two inputs are given the same', events, giving({ again: '{{inputs.token}}' }, { again: inputs.pass })],
    [
      'its agent wrote the name in another way',
      eventsOf([type('{{ inputs.token }}'), click], { place: 'search/found' }),
      source('find', { output: 1 }),
    ],
  ])('never types the name of a secret: %s', (_, done, from) => {
    expect(refused(done, from, given)).toMatch(/a secret stood in it that no input there stands for/);
  });

  test('becomes steps of a copy for a workflow of the project', () => {
    const { definition, notes } = compile(events, source('find@3'), given);
    expect(definition.steps[1]).toMatchObject({ action: 'call', workflow: 'find-compiled' });
    expect(Object.keys(definition.workflows ?? {})).toEqual(['find-compiled']);
    expect(definition.workflows?.['find-compiled']).toMatchObject({ steps });
    expect(notes.join()).toContain('find@3 itself keeps them');
  });

  const answered = { place: 'search/found', value: 'RL-1', reads: [{ pointer: '', locators: [{ css: '.sku' }] }] };
  test.each<[string, RunEvent[], RegExp]>([
    [
      'its output needs an answer that cannot be read again',
      eventsOf([click], { place: 'search/found', value: 'RL-1' }),
      /needs/,
    ],
    ['an element is known by its number', eventsOf([{ ...click, locators: [] }], answered), /by its number only/],
    ['a text was masked', eventsOf([click, type('is ••••')], answered), /a secret stood in it/],
    ['nothing was done in it', eventsOf([], { place: 'search/found' }), /nothing is left in it/],
  ])('stays a goal if %s, and the others become steps', (what, done, why) => {
    const find = { ...called, ...(what.startsWith('nothing') && { output: 1 }) };
    const { definition, notes } = compile(
      [...done, ...eventsOf([click], { place: 'goal' })],
      { ...source('find'), steps: [{ action: 'goBack' }, call('find'), goal], workflows: { find } },
      given,
    );
    expect(definition.steps).toMatchObject([{}, { workflow: 'find' }, { action: 'click' }]);
    expect(definition.workflows).toMatchObject({ find });
    expect(notes).toEqual([expect.stringMatching(why)]);
  });

  test.each<[string, Partial<WorkflowDefinitionInput>, RegExp]>([
    ['called twice', { steps: [{ action: 'goBack' }, call('find'), { ...call('find'), id: 'again' }] }, /in 2 places/],
    [
      'called in a loop',
      { steps: [{ action: 'goBack' }, { action: 'forEach', in: [1], steps: [call('find')] }], output: 1 },
      /called in a loop/,
    ],
  ])('stays a goal with a note if it is %s', (_, more, why) => {
    const steps = [...(more.steps ?? []), goal];
    const { definition, notes } = compile(
      [...events, ...eventsOf([click], { place: 'goal' })],
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
    /stays a goal: step 1: a goal in a branch/,
  ],
  ['a goal that was not reached', [], {}, /stays a goal: in this run it was not reached/],
  ['an element that is known by its number', eventsOf([{ ...click, locators: [] }]), {}, /by its number only/],
  ['a text that was masked', eventsOf([type('is ••••')]), {}, /a secret stood in it/],
  ['events without locators', eventsOf([click]).map(asBefore), {}, /did not write down yet/],
  ['nothing at all', eventsOf([]), {}, /nothing was done/],
])('rejects a run with %s', (_what, events, source, why) => {
  expect(refused(events, source)).toMatch(why);
});

describe('wait for an expected text that appeared', () => {
  const expectOf = (held: string[], query: string | null = null) => {
    const inputs = query === null ? {} : { inputs: { query: { type: 'string' as const } } };
    const given = query === null ? {} : { inputs: { query } };
    return compile(eventsOf([{ ...click, held }]), inputs, given).steps.map((step) =>
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
  ])('%s', (_, held, query, text) => expect(expectOf(held, query)).toEqual([text && { text }]));

  test('uses the URL instead after a navigation', () => {
    const deeds: Did[] = [{ ...click, on: '/', held: ['Saved'] }];
    expect(compile(eventsOf(deeds, { end: '/saved' })).steps).toMatchObject([
      { expect: { url: expect.stringContaining('/saved') } },
    ]);
  });
});
