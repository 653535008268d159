import type { RunView } from '@pilothouse/contract';
import { reasonOf, rowOf } from './run-row.ts';

const failed = (error: object) => rowOf({ usage: {}, workflow: null, error } as unknown as RunView).error;

test('a row names the failed step, then the reason', () => {
  const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing is there', retry: 'no' };
  const step = { index: 2, path: '3', title: 'Press "Pay"' };
  expect(reasonOf(failed({ ...error, step })!)).toBe('Press "Pay": Nothing is there');
  expect(reasonOf(failed(error)!)).toBe('Nothing is there');
});
