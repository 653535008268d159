import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { runLines } from './run-details.ts';
import { styleFor } from './text-style.ts';
import { aRun } from '../testing/views.fixture.ts';

const ada = { kind: 'user', id: '0197f3c2-1a2b-7c3d-8e4f-000000000009', name: 'ada@example.com' } as const;

test('the title of a step that was not rendered shows no template', () => {
  const step = { path: '1', title: 'Type {{inputs.sku}} into {{ steps.a.value }}', status: 'pending', value: null };
  const lines = runLines(
    { run: aRun({ status: 'running' }), steps: [step as unknown as RunStepView], artifacts: [] },
    { style: styleFor(false), columns: 100 },
  );
  expect(lines.join('\n')).toContain('Type … into …');
  expect(lines.join('\n')).not.toContain('{{');
});

test.each<[RunView['origin'], string]>([
  [{ kind: 'console', actor: ada, idempotencyKey: null }, 'console, ada@example.com'],
  [{ kind: 'api', actor: null, idempotencyKey: 'a key' }, 'API'],
  [{ kind: 'retry', run: ada.id, actor: ada, idempotencyKey: null }, `retry of ${ada.id}, ada@example.com`],
  [{ kind: 'replay', run: ada.id, actor: null, idempotencyKey: null }, `replay of ${ada.id}`],
  [{ kind: 'schedule', schedule: ada.id, actor: null, idempotencyKey: null }, `schedule ${ada.id}`],
])('a run started by %j shows "%s"', (origin, text) => {
  const lines = runLines({ run: aRun({ origin }), steps: [], artifacts: [] }, { style: styleFor(false), columns: 100 });
  expect(lines.find((line) => line.startsWith('started by'))).toMatch(new RegExp(` ${text}$`));
});
