import type { RunView } from '@pilothouse/contract/run/run.schema';
import { reasonOf, rowOf, runTitle } from './run-row.ts';

const failed = (error: object) => rowOf({ usage: {}, goal: null, workflow: null, error } as unknown as RunView).error;

test('a row names the failed step, then the reason', () => {
  const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing is there', retry: 'no' };
  const step = { index: 2, path: '3', title: 'Press "Pay"' };
  expect(reasonOf(failed({ ...error, step })!)).toBe('Press "Pay": Nothing is there');
  expect(reasonOf(failed(error)!)).toBe('Nothing is there');
});

test('a run is titled by its goal in one line, or by its workflow', () => {
  const workflow = { id: null, name: 'goal', version: null };
  const titleOf = (goal: string | null) => runTitle({ goal, workflow, surface: 'browser' });
  expect(titleOf('Order\n  three ropes ')).toBe('Order three ropes');
  expect(titleOf('x'.repeat(500))).toBe(`${'x'.repeat(119)}…`);
  expect(titleOf(null)).toBe('goal');
  expect(runTitle({ goal: null, workflow: null, surface: 'desktop' })).toBe('desktop steps');
});
