import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { type TestAction, goalEvents, goal, compile, clickGo, fillSearch } from './compile-run.fixture.ts';

test('compiles goals in groups, and keeps goals of loops without iterations with a note', () => {
  const group = { action: 'group' as const, if: '1 == 2', steps: [clickGo.action as never], else: [goal] };
  const loop = { action: 'forEach' as const, in: [1, 2], steps: [{ ...goal, id: 'again' }] };
  const { steps, notes } = compile(goalEvents([{ ...clickGo }], { step: 0, path: '1/else/goal' }), {
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
  const iterationEvents = (iteration: number, text: string, laterActions: readonly TestAction[] = []) =>
    goalEvents(
      [fillSearch(text), { ...clickGo, locators: [{ role: 'link', name: `${text}, new` }] }, ...laterActions],
      {
        path: `1[${iteration}]/found`,
        value: `RL-${iteration}`,
        sources: [{ pointer: '', locators: [{ css: '.sku' }] }],
      },
    );
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
  ])('stays a goal if the run %s', (_, events, overrides) => {
    const steps = [...(overrides.steps ?? [loop]), { action: 'goBack' as const }, goal];
    const last = goalEvents([clickGo], { path: 'goal' });
    const { definition, notes } = compile([...events, ...last], { ...source, steps }, options);
    expect(definition.steps).toMatchObject([
      { steps: [{ action: 'goal' }] },
      { action: 'goBack' },
      { action: 'click' },
    ]);
    expect(notes).toEqual([expect.stringContaining('a goal in a loop differs in each iteration')]);
  });
});
