import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { runLines } from './run-details.ts';
import { styleFor } from './text-style.ts';
import { aRun } from '../testing/views.fixture.ts';

test('the title of a step that was not rendered shows no template', () => {
  const step = { path: '1', title: 'Type {{inputs.sku}} into {{ steps.a.value }}', status: 'pending', value: null };
  const run = {
    id: 'r',
    status: 'running',
    workflow: null,
    goal: null,
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

test('a run names the key or user that submitted it, if known', () => {
  const created = (run: RunView) =>
    runLines({ run, steps: [], artifacts: [] }, { style: styleFor(false), columns: 100 }).find((line) =>
      line.startsWith('created'),
    );
  const createdBy = { kind: 'user', id: '0197f3c2-1a2b-7c3d-8e4f-000000000009', name: 'ada@example.com' } as const;
  expect(created(aRun({ createdBy }))).toMatch(/ by ada@example\.com$/);
  expect(created(aRun())).not.toContain(' by ');
});
