import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator, Target } from '@pilothouse/contract/actions/locator.schema';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import {
  effectOfNamedAction,
  isIntendedEffect,
  isPositionalLocator,
  stableLocators,
  toTargetDescription,
} from './lost-element.ts';
import { mostSimilarElement } from './element-similarity.ts';
import {
  type EarlierStepEvent,
  collectHealedSteps,
  earlierLocators,
  reasonNotToVerify,
  repairedChain,
  repairWorkflow,
} from './workflow-repair.ts';

/** Builds a page from lines such as `button Log in`. `text …` is static, `-button …` is disabled. Lines are 40 pixels apart. */
function page(...lines: (string | [string, number])[]): Observation {
  const elements = lines.map((line, index): ElementView => {
    const [said, x] = typeof line === 'string' ? [line, 0] : line;
    const [role = '', ...name] = said.replace(/^-/, '').split(' ');
    return {
      index,
      interactive: role !== 'text',
      role,
      name: name.join(' '),
      state: said.startsWith('-') ? { disabled: true } : {},
      tags: [],
      bounds: { x, y: index * 40, width: 100, height: 30 },
    };
  });
  return {
    url: 'https://harbour.example/',
    title: '',
    document: 1,
    loading: false,
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements,
    opaqueRegions: [],
  };
}

const button = (name: string): Locator => ({ role: 'button', name });

describe('mostSimilarElement', () => {
  test.each<[string, Locator[], Action['action'], Observation, number | null]>([
    ['the same name and role', [button('Log in')], 'click', page('button Log in', 'button Log off'), 0],
    ['ignores case and punctuation', [button('Log in')], 'click', page('button LOG-IN »'), 0],
    ['accepts a link instead of a button', [button('Log in')], 'click', page('link Log in'), 0],
    ['rejects a field instead of a button', [button('Log in')], 'click', page('textbox Log in'), null],
    ['accepts additional words at the end', [button('Log in')], 'click', page('button Log in now'), 0],
    ['rejects additional words at the beginning', [button('Accept')], 'click', page('button Do not accept'), null],
    ['rejects many additional words', [button('Save')], 'click', page('button Save and send to all'), null],
    ['rejects a wider action', [button('Select the items')], 'click', page('button Select the items all'), null],
    ['rejects other words', [button('Log in')], 'click', page('button Sign in'), null],
    ['rejects a disabled element', [button('Log in')], 'click', page('-button Log in'), null],
    ['rejects ambiguous elements', [button('Edit')], 'click', page('button Edit', 'button Edit'), null],
    [
      'prefers the element nearest to the adjacent text',
      [{ ...button('Edit'), near: { text: 'Lamp' } }],
      'click',
      page('text Rope', ['button Edit', 400], 'text Lamp', ['button Edit', 120], 'text Net', ['button Edit', 400]),
      3,
    ],
    ['a field by its label', [{ label: 'E-mail' }], 'type', page('button E-mail', 'textbox E-mail'), 1],
    ['a field without a name by the text above', [{ label: 'Town' }], 'type', page('text Town', 'textbox '), 1],
    ['ignores locators with `nth`', [{ ...button('Edit'), nth: 1 }], 'click', page('button Edit'), null],
    ['ignores locators with `within`', [{ text: 'Edit', within: { css: 'li' } }], 'click', page('button Edit'), null],
    ['finds nothing without a name', [{ css: '#go' }], 'click', page('button Go'), null],
  ])('%s', (_, locators, action, page, index) =>
    expect(mostSimilarElement(toTargetDescription(locators), action, page)?.index ?? null).toBe(index),
  );
});

test('derives the effect of an action from the element name, and recognizes intended effects', () => {
  const click: Action = { action: 'click', target: button('x') };
  expect(effectOfNamedAction(click, { role: 'button', name: 'Place order' })).toBe('pay');
  expect(effectOfNamedAction(click, { role: 'button', name: 'Next' })).toBeNull();
  expect(isIntendedEffect('pay', click, toTargetDescription([button('Buy now')]))).toBe(true);
  expect(isIntendedEffect('pay', click, toTargetDescription([button('Next'), { css: '#pay' }]))).toBe(false);
});

test.each<[Locator, boolean]>([
  [{ css: 'form > button' }, true],
  [{ css: 'li:nth-of-type(2)' }, true],
  [{ role: 'button', nth: 0 }, true],
  [{ css: '#go' }, false],
  [{ css: 'input[name="q"]' }, false],
  [{ testId: 'go' }, false],
])('%j is positional: %s', (locator, isPositional) => expect(isPositionalLocator(locator)).toBe(isPositional));

test.each<[string, Locator[], Target, [string, Json][], Locator[]]>([
  [
    'escapes braces, and drops positional locators if there are others',
    [{ text: 'Use {{x}}' }, { css: 'p > a' }],
    { css: '#a' },
    [],
    [{ text: 'Use \\{{x}}' }],
  ],
  [
    'drops indexes and masked secrets',
    [{ elementIndex: 3 }, { text: 'Hi ••••' }, { css: 'p > a' }],
    { css: '#a' },
    [],
    [{ css: 'p > a' }],
  ],
  [
    'replaces input values with templates, and drops locators without them',
    [{ role: 'link', name: 'Open Rope' }, { testId: 'row-1' }],
    { text: 'Open {{inputs.product}}' },
    [['{{inputs.product}}', 'Rope']],
    [{ role: 'link', name: 'Open {{inputs.product}}' }],
  ],
  [
    'leaves a coincidental value unchanged',
    [{ text: 'Rope' }],
    { css: '#a' },
    [['{{inputs.product}}', 'Rope']],
    [{ text: 'Rope' }],
  ],
])('%s', (_, locators, target, knownValues, expected) =>
  expect(
    stableLocators(
      locators,
      target,
      knownValues.map(([template, value]) => ({ template, value })),
    ),
  ).toEqual(expected),
);

describe('locators of earlier runs', () => {
  const definition = (target: Locator, name = 'Rope'): WorkflowDefinition => ({
    name: 'shop',
    surface: 'browser',
    inputs: {},
    steps: [
      { action: 'navigate', url: 'https://harbour.example' },
      { action: 'forEach', in: [name], as: 'row', steps: [{ action: 'click', target }] },
    ],
  });
  const completedEvent = (alternatives: Locator[], overrides: Partial<EarlierStepEvent> = {}): EarlierStepEvent => ({
    definition: definition(button('Buy')),
    inputs: {},
    type: 'step.completed',
    data: {
      step: 1,
      path: '2[1]/1',
      id: null,
      tier: 'replay',
      durationMs: 1,
      outcome: 'completed',
      effect: 'confirmed',
      located: { locator: 'x', triedCount: 1, alternatives },
      page: null,
    },
    ...overrides,
  });
  const healedEvent = (locators: Locator[]): EarlierStepEvent => ({
    ...completedEvent([]),
    type: 'step.healed',
    data: {
      step: 1,
      path: '2[1]/1',
      id: null,
      tier: 'text',
      method: 'text-model',
      element: 'x',
      previousLocators: [button('Buy')],
      locators,
    },
  });
  const now = definition(button('Buy'));

  test('lists healing locators first, without duplicates and without those of the step', () => {
    const former = [
      completedEvent([{ testId: 'buy' }, button('Buy')]),
      healedEvent([{ text: 'Get it' }]),
      completedEvent([{ testId: 'buy' }]),
    ];
    expect(earlierLocators(now, '2[7]/1', former)).toEqual([{ text: 'Get it' }, { testId: 'buy' }]);
  });

  test('ignores events of a different step and of unknown paths', () => {
    const otherStepEvent = completedEvent([{ testId: 'buy' }], { definition: definition(button('Sell')) });
    expect(earlierLocators(now, '2/1', [otherStepEvent])).toEqual([]);
    expect(earlierLocators(now, '9', [completedEvent([{ testId: 'buy' }])])).toEqual([]);
    expect(earlierLocators(now, '1', [completedEvent([{ testId: 'buy' }])])).toEqual([]);
  });

  test('replaces inputs with templates, and drops values unknown to this run', () => {
    const byInput = definition({ text: '{{inputs.product}}' });
    const event = completedEvent([{ role: 'link', name: 'Rope' }, { css: '#r' }], {
      definition: byInput,
      inputs: { product: 'Rope' },
    });
    expect(earlierLocators(byInput, '2/1', [event])).toEqual([{ role: 'link', name: '{{inputs.product}}' }]);
    const byRow = definition({ text: '{{vars.row}}' });
    expect(
      earlierLocators(byRow, '2/1', [completedEvent([{ role: 'link', name: 'Rope' }], { definition: byRow })]),
    ).toEqual([]);
  });
});

describe('repaired workflow', () => {
  const click = (name: string) => ({ action: 'click' as const, target: button(name) });
  const definition: WorkflowDefinition = {
    name: 'shop',
    surface: 'browser',
    inputs: {},
    steps: [
      click('a'),
      { action: 'group', if: 'inputs.x == 1', steps: [click('b')], else: [click('c'), click('d')] },
      { action: 'call', workflow: 'sub' },
      { action: 'call', workflow: 'other@2' },
    ],
    workflows: { sub: { inputs: {}, steps: [click('e')] } },
  };
  const healedStep = (path: string, name: string, locators: Locator[] = [{ testId: name }]) => ({
    path,
    title: name,
    method: 'text-model' as const,
    element: `button ${name}`,
    previousLocators: [button(name)],
    locators,
  });

  test('has the new locators before the old ones at every nesting level', () => {
    const {
      definition: repaired,
      changes,
      notes,
    } = repairWorkflow(definition, [healedStep('1', 'a'), healedStep('2/else/2', 'd'), healedStep('3/1', 'e')]);
    expect(notes).toEqual([]);
    expect(changes).toHaveLength(3);
    const target = (name: string) => [{ testId: name }, button(name)];
    expect(repaired).toMatchObject({
      steps: [
        { target: target('a') },
        { steps: [{ target: button('b') }], else: [{}, { target: target('d') }] },
        {},
        {},
      ],
      workflows: { sub: { steps: [{ target: target('e') }] } },
    });
    expect(definition.steps[0]).toEqual(click('a'));
  });

  test('drops a written test id, which may belong to another element now', () => {
    const locators = [{ ...button('Accept'), exact: true }, { testId: 'act-9' }];
    expect(
      repairedChain({ previousLocators: [button('Approve'), { testId: 'act-1' }, { css: '#a' }], locators }),
    ).toEqual([...locators, button('Approve')]);
  });

  test('writes new locators that match the whole name, and leaves written ones', () =>
    expect(
      repairedChain({ previousLocators: [button('Buy')], locators: [button('Approve'), { text: 'Go', nth: 1 }] }),
    ).toEqual([{ ...button('Approve'), exact: true }, { text: 'Go', nth: 1 }, button('Buy')]));

  test('skips changed steps and steps of called workflows, with a note', () => {
    const {
      definition: repaired,
      changes,
      notes,
    } = repairWorkflow(definition, [healedStep('1', 'z'), healedStep('4/1', 'f'), healedStep('2/1', 'b', [])]);
    expect(repaired).toEqual(definition);
    expect(changes).toEqual([]);
    expect(notes).toEqual([
      'z: the step belongs to a called workflow',
      'f: the step belongs to a called workflow',
      'b: no stable locator is known for button b',
    ]);
  });

  test('uses the last iteration of a loop, and reports it without the iteration', () => {
    const event = (path: string, locators: Locator[]) => ({
      type: 'step.healed' as const,
      data: {
        step: 3,
        path,
        id: null,
        tier: 'replay',
        method: 'similarity',
        element: 'x',
        previousLocators: [{ role: 'button', name: 'a' }],
        locators,
      } as unknown as RunEvent['data'],
    });
    const steps = collectHealedSteps(
      [event('2[1]/1', [{ testId: 'x' }]), event('2[2]/1', [{ testId: 'y' }])],
      definition,
    );
    expect(steps).toMatchObject([{ path: '2/1', locators: [{ testId: 'y' }] }]);
  });
});

describe('reason not to verify', () => {
  const pay: WorkflowDefinition['steps'][number] = { action: 'press', key: 'Enter', idempotent: false };
  const open: WorkflowDefinition['steps'][number] = { action: 'goBack' };
  const call: WorkflowDefinition['steps'][number] = { action: 'call', workflow: 'checkout' };

  test.each<[object, string | null]>([
    [{ steps: [open] }, null],
    [{ steps: [open, pay] }, '/steps/1'],
    [{ steps: [{ action: 'group', steps: [open, pay] }] }, '/steps/0/steps/1'],
    [{ steps: [open, open, call], workflows: { checkout: { steps: [open, pay] } } }, '/workflows/checkout/steps/1'],
  ])('names the place of the step in %j', (definition, location) => {
    const reason = reasonNotToVerify(definition as WorkflowDefinition);
    expect(reason).toBe(location && `${location} is not idempotent. Approve a replay if it may run again.`);
  });
});
