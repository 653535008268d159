import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { createStepIntent, intentEvent, firstStepIntent } from './step-intent.ts';

const intentOf = (
  source: Partial<WorkflowDefinitionInput> & Pick<WorkflowDefinitionInput, 'steps'>,
  inputs = {},
  secrets: string[] = [],
) => firstStepIntent(workflowDefinitionSchema.parse({ name: 'spec', ...source }), { run: 'r1', inputs, secrets });

test('the intent of an upload has the name of the file instead of its id', () => {
  const step = { action: 'upload', target: { label: 'Order' }, file: '0197f3c2-1a2b-7c3d-8e4f-000000000001' } as const;
  const { message, data } = createStepIntent(step, { number: 1, path: '2' }, 'order.pdf');
  expect(message).toBe('Attach order.pdf to “Order”');
  expect(JSON.stringify(data)).not.toContain(step.file);
  expect(createStepIntent({ action: 'reload' }, { number: 1, path: '2' }, 'order.pdf').message).not.toContain('order');
});

test('the first intent has rendered inputs and no secrets', () => {
  const intent = intentOf(
    {
      inputs: { shop: { type: 'string' }, pin: { type: 'string', secret: true } },
      steps: [{ action: 'navigate', id: 'go', url: 'https://{{inputs.shop}}.example/{{run.epoch}}' }],
    },
    { shop: 'a\0b' },
    ['pin'],
  );
  expect(intent).toEqual({
    v: 1,
    message: 'Open https://a\uFFFDb.example/1',
    data: {
      step: 0,
      path: 'go',
      label: '1',
      id: 'go',
      action: 'navigate',
      title: 'Open https://a\uFFFDb.example/1',
      summary: 'Open https://a\uFFFDb.example/1',
    },
  });
  if (!intent) throw new Error('There is no intent');
  expect(intentEvent(intent, '2026-11-21T00:00:00.000Z')).toMatchObject({ type: 'step.started', level: 'info', v: 1 });
});

test.each([
  ['is not idempotent', { steps: [{ action: 'press', key: 'Enter', idempotent: false }] }],
  ['has a policy for interruptions', { steps: [{ action: 'press', key: 'Enter', onInterrupted: 'rerun' }] }],
  [
    'belongs to a workflow with `onWorkerLost: fail`',
    { onWorkerLost: 'fail', steps: [{ action: 'press', key: 'Enter' }] },
  ],
  [
    'belongs to a desktop, which asks after the loss of its worker',
    { surface: 'desktop', steps: [{ action: 'press', key: 'Enter' }] },
  ],
  ['cannot be rendered', { steps: [{ action: 'navigate', url: 'https://a.example/{{inputs.nothing}}' }] }],
] as const)('there is no first intent when the first step %s', (_, source) => {
  expect(intentOf(structuredClone(source) as unknown as WorkflowDefinitionInput)).toBeNull();
});
