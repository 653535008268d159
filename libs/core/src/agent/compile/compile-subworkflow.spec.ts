import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { goalEvents, goal, compile, compileErrorMessage, clickGo, fillSearch } from './compile-run.fixture.ts';

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
  const source = (
    workflow: string,
    overrides: Partial<WorkflowDefinitionInput> = {},
  ): Partial<WorkflowDefinitionInput> => ({
    inputs: { item: { type: 'string' }, token: { type: 'string', secret: true } },
    steps: [{ action: 'goBack' }, callOf(workflow)],
    workflows: { [workflow]: subworkflow },
    output: '{{steps.search.value}}',
    ...overrides,
  });
  const given = { inputs: { item: 'tarred rope' }, secrets: ['token'] };
  const events = goalEvents(
    [fillSearch('tarred rope'), fillSearch('{{inputs.token}}', { locators: [{ label: 'PIN' }] }), clickGo],
    {
      path: 'search/found',
      value: 'RL-1',
      sources: [{ pointer: '', locators: [{ css: '.sku' }] }],
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

  /** Variants of the call's inputs. */
  const withCallInputs = (callInputs: object, moreInputs: object = {}): Partial<WorkflowDefinitionInput> => {
    const { id, action, workflow, inputs: stepRef } = callOf('find');
    return source('find', {
      steps: [{ action: 'goBack' }, { id, action, workflow, inputs: { ...stepRef, ...callInputs } }],
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
      goalEvents([fillSearch('{{ inputs.token }}'), clickGo], { path: 'search/found' }),
      source('find', { output: 1 }),
    ],
  ])('never types the name of a secret: %s', (_, done, definition) => {
    expect(compileErrorMessage(done, definition, given)).toMatch(
      /it contains a secret that is not an input of the workflow/,
    );
  });

  test('becomes steps of a copy for a workflow of the project', () => {
    const { definition, notes } = compile(events, source('find@3'), given);
    expect(definition.steps[1]).toMatchObject({ action: 'call', workflow: 'find-compiled' });
    expect(Object.keys(definition.workflows ?? {})).toEqual(['find-compiled']);
    expect(definition.workflows?.['find-compiled']).toMatchObject({ steps });
    expect(notes.join()).toContain('find@3 is unchanged');
  });

  const subworkflowGoal = {
    path: 'search/found',
    value: 'RL-1',
    sources: [{ pointer: '', locators: [{ css: '.sku' }] }],
  };
  test.each<[string, RunEvent[], RegExp]>([
    [
      'its output needs an answer that cannot be read again',
      goalEvents([clickGo], { path: 'search/found', value: 'RL-1' }),
      /needs/,
    ],
    [
      'only an index identifies an element',
      goalEvents([{ ...clickGo, locators: [] }], subworkflowGoal),
      /only its index identifies its element/,
    ],
    ['a text was masked', goalEvents([clickGo, fillSearch('is ••••')], subworkflowGoal), /it contains a secret/],
    ['nothing was done', goalEvents([], { path: 'search/found' }), /no step remains/],
  ])('stays a goal if %s, and the others become steps', (title, done, reason) => {
    const find = { ...subworkflow, ...(title.startsWith('nothing') && { output: 1 }) };
    const { definition, notes } = compile(
      [...done, ...goalEvents([clickGo], { path: 'goal' })],
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
  ])('stays a goal with a note if it is %s', (_, overrides, why) => {
    const steps = [...(overrides.steps ?? []), goal];
    const { definition, notes } = compile(
      [...events, ...goalEvents([clickGo], { path: 'goal' })],
      {
        ...source('find', overrides),
        steps,
      },
      given,
    );
    expect(definition.workflows).toMatchObject({ find: { steps: [{ action: 'goal' }] } });
    expect(notes.join()).toMatch(why);
  });
});
