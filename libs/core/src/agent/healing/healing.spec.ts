import type {
  Action,
  ElementView,
  Json,
  Locator,
  Observation,
  RunEvent,
  Target,
  WorkflowDefinition,
} from '@pilothouse/contract';
import {
  effectOfNamedAction,
  isIntendedEffect,
  isPositionalLocator,
  stableLocators,
  toTargetDescription,
} from './lost-element.ts';
import { mostSimilarElement } from './element-similarity.ts';
import { type EarlierStepEvent, collectHealedSteps, earlierLocators, repairWorkflow } from './workflow-repair.ts';

/** `button Log in`, a line each; `text …` is there to be read, `-button …` is disabled. Each line is 40 pixels below the one before. */
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

describe('what an element is like', () => {
  test.each<[string, Locator[], Action['action'], Observation, number | null]>([
    ['the same name and role', [button('Log in')], 'click', page('button Log in', 'button Log off'), 0],
    ['whatever the case and the signs', [button('Log in')], 'click', page('button LOG-IN »'), 0],
    ['a link for a button', [button('Log in')], 'click', page('link Log in'), 0],
    ['no field for a button', [button('Log in')], 'click', page('textbox Log in'), null],
    ['more words after it', [button('Log in')], 'click', page('button Log in now'), 0],
    ['not before it: they may turn it around', [button('Accept')], 'click', page('button Do not accept'), null],
    ['not with many more words', [button('Save')], 'click', page('button Save and send to all'), null],
    ['other words are another', [button('Log in')], 'click', page('button Sign in'), null],
    ['nor what is disabled', [button('Log in')], 'click', page('-button Log in'), null],
    ['several that nothing tells apart', [button('Edit')], 'click', page('button Edit', 'button Edit'), null],
    [
      'several, one nearest to what it stood beside',
      [{ ...button('Edit'), near: { text: 'Lamp' } }],
      'click',
      page('text Rope', ['button Edit', 400], 'text Lamp', ['button Edit', 120], 'text Net', ['button Edit', 400]),
      3,
    ],
    ['a field by its label', [{ label: 'E-mail' }], 'type', page('button E-mail', 'textbox E-mail'), 1],
    ['a field without a name by the text above', [{ label: 'Town' }], 'type', page('text Town', 'textbox '), 1],
    ['which of several says nothing of another', [{ ...button('Edit'), nth: 1 }], 'click', page('button Edit'), null],
    ['nor what it is inside of', [{ text: 'Edit', within: { css: 'li' } }], 'click', page('button Edit'), null],
    ['without a name nothing is like it', [{ css: '#go' }], 'click', page('button Go'), null],
  ])('%s', (_, locators, action, seen, index) =>
    expect(mostSimilarElement(toTargetDescription(locators), action, seen)?.index ?? null).toBe(index),
  );
});

test('what an action does by the name of its element, and whether that was meant', () => {
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
])('%j is a place: %s', (locator, isPlace) => expect(isPositionalLocator(locator)).toBe(isPlace));

test.each<[string, Locator[], Target, [string, Json][], Locator[]]>([
  [
    'texts are texts, and a place is left out where there is more',
    [{ text: 'Use {{x}}' }, { css: 'p > a' }],
    { css: '#a' },
    [],
    [{ text: 'Use \\{{x}}' }],
  ],
  [
    'numbers, and what was secret, do not last',
    [{ elementIndex: 3 }, { text: 'Hi ••••' }, { css: 'p > a' }],
    { css: '#a' },
    [],
    [{ css: 'p > a' }],
  ],
  [
    'what the run was given is named by its template, and ways without it are left out',
    [{ role: 'link', name: 'Open Rope' }, { testId: 'row-1' }],
    { text: 'Open {{inputs.product}}' },
    [['{{inputs.product}}', 'Rope']],
    [{ role: 'link', name: 'Open {{inputs.product}}' }],
  ],
  [
    'a value that is there by chance stays',
    [{ text: 'Rope' }],
    { css: '#a' },
    [['{{inputs.product}}', 'Rope']],
    [{ text: 'Rope' }],
  ],
])('%s', (_, locators, target, known, lasting) =>
  expect(
    stableLocators(
      locators,
      target,
      known.map(([template, value]) => ({ template, value })),
    ),
  ).toEqual(lasting),
);

describe('what former runs saw', () => {
  const definition = (target: Locator, name = 'Rope'): WorkflowDefinition => ({
    name: 'shop',
    surface: 'browser',
    inputs: {},
    steps: [
      { action: 'navigate', url: 'https://harbour.example' },
      { action: 'forEach', in: [name], as: 'row', steps: [{ action: 'click', target }] },
    ],
  });
  const acted = (others: Locator[], more: Partial<EarlierStepEvent> = {}): EarlierStepEvent => ({
    definition: definition(button('Buy')),
    inputs: {},
    type: 'step.completed',
    data: {
      step: 1,
      path: '2[1]/1',
      id: null,
      tier: 'replay',
      durationMs: 1,
      located: { locator: 'x', triedCount: 1, alternatives: others },
      page: null,
    },
    ...more,
  });
  const healed = (locators: Locator[]): EarlierStepEvent => ({
    ...acted([]),
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

  test('what healed it comes first, each once, and not what the step says itself', () => {
    const former = [
      acted([{ testId: 'buy' }, button('Buy')]),
      healed([{ text: 'Get it' }]),
      acted([{ testId: 'buy' }]),
    ];
    expect(earlierLocators(now, '2[7]/1', former)).toEqual([{ text: 'Get it' }, { testId: 'buy' }]);
  });

  test('a step that was another then says nothing, nor does a place that is none', () => {
    const other = acted([{ testId: 'buy' }], { definition: definition(button('Sell')) });
    expect(earlierLocators(now, '2/1', [other])).toEqual([]);
    expect(earlierLocators(now, '9', [acted([{ testId: 'buy' }])])).toEqual([]);
    expect(earlierLocators(now, '1', [acted([{ testId: 'buy' }])])).toEqual([]);
  });

  test('what that run was given is lifted; what only it knew is left out', () => {
    const byInput = definition({ text: '{{inputs.product}}' });
    const one = acted([{ role: 'link', name: 'Rope' }, { css: '#r' }], {
      definition: byInput,
      inputs: { product: 'Rope' },
    });
    expect(earlierLocators(byInput, '2/1', [one])).toEqual([{ role: 'link', name: '{{inputs.product}}' }]);
    const byRow = definition({ text: '{{vars.row}}' });
    expect(earlierLocators(byRow, '2/1', [acted([{ role: 'link', name: 'Rope' }], { definition: byRow })])).toEqual([]);
  });
});

describe('a repaired workflow', () => {
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
  const healed = (at: string, name: string, locators: Locator[] = [{ testId: name }]) => ({
    path: at,
    title: name,
    method: 'text-model' as const,
    element: `button ${name}`,
    previousLocators: [button(name)],
    locators,
  });

  test('has the new locators before the old ones, wherever the step stands', () => {
    const {
      definition: made,
      changes,
      notes,
    } = repairWorkflow(definition, [healed('1', 'a'), healed('2/else/2', 'd'), healed('3/1', 'e')]);
    expect(notes).toEqual([]);
    expect(changes).toHaveLength(3);
    const target = (name: string) => [{ testId: name }, button(name)];
    expect(made).toMatchObject({
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

  test('leaves alone what is another by now, or stands elsewhere, and says so', () => {
    const {
      definition: made,
      changes,
      notes,
    } = repairWorkflow(definition, [healed('1', 'z'), healed('4/1', 'f'), healed('2/1', 'b', [])]);
    expect(made).toEqual(definition);
    expect(changes).toEqual([]);
    expect(notes).toEqual([
      'z: it does not stand in this workflow, which only calls it',
      'f: it does not stand in this workflow, which only calls it',
      'b: nothing is known by which button b is found again',
    ]);
  });

  test('of rounds of a loop the last counts, and is told without its round', () => {
    const event = (at: string, locators: Locator[]) => ({
      type: 'step.healed' as const,
      data: {
        step: 3,
        path: at,
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
