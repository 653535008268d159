import type { RunStepView, RunView } from '@pilothouse/contract';
import { runLines } from './run.ts';
import { styleFor } from './style.ts';

test('the title of a step that was not rendered shows no template', () => {
  const step = { at: '1', title: 'Type {{inputs.sku}} into {{ steps.a.value }}', status: 'pending', value: null };
  const run = {
    id: 'r',
    status: 'running',
    workflow: null,
    labels: {},
    inputs: {},
    usage: { calls: 0 },
    steps: {},
    output: null,
  };
  const lines = runLines(
    { run: run as unknown as RunView, steps: [step as unknown as RunStepView], artifacts: [] },
    { style: styleFor(false), columns: 100 },
  );
  expect(lines.join('\n')).toContain('Type … into …');
  expect(lines.join('\n')).not.toContain('{{');
});
