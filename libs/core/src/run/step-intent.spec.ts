import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract';
import { intentEvent, firstStepIntent } from './step-intent.ts';

const of = (
  source: Partial<WorkflowDefinitionInput> & Pick<WorkflowDefinitionInput, 'steps'>,
  inputs = {},
  secrets: string[] = [],
) => firstStepIntent(workflowDefinitionSchema.parse({ name: 'spec', ...source }), { run: 'r1', inputs, secrets });

test('the first step is said with the inputs in place and without a secret', () => {
  const opening = of(
    {
      inputs: { shop: { type: 'string' }, pin: { type: 'string', secret: true } },
      steps: [{ action: 'navigate', id: 'go', url: 'https://{{inputs.shop}}.example/{{run.epoch}}' }],
    },
    { shop: 'a\0b' },
    ['pin'],
  );
  expect(opening).toEqual({
    v: 1,
    message: 'Open https://a\uFFFDb.example/1',
    data: {
      step: 0,
      path: 'go',
      id: 'go',
      action: 'navigate',
      title: 'Open https://a\uFFFDb.example/1',
      summary: 'Open https://a\uFFFDb.example/1',
    },
  });
  if (!opening) throw new Error('It has none');
  expect(intentEvent(opening, '2026-11-21T00:00:00.000Z')).toMatchObject({ type: 'step.started', level: 'info', v: 1 });
});

test.each([
  ['must not happen twice', { steps: [{ action: 'press', key: 'Enter', idempotent: false }] }],
  ['says what is to be done in doubt', { steps: [{ action: 'press', key: 'Enter', onInterrupted: 'rerun' }] }],
  [
    'belongs to a workflow that is not taken over',
    { onWorkerLost: 'fail', steps: [{ action: 'press', key: 'Enter' }] },
  ],
  ['cannot be rendered', { steps: [{ action: 'navigate', url: 'https://a.example/{{inputs.nothing}}' }] }],
] as const)('the worker says it itself when the first step %s', (_, source) => {
  expect(of(structuredClone(source) as unknown as WorkflowDefinitionInput)).toBeNull();
});
