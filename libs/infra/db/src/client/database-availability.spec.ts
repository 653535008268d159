import { PilothouseError } from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { retryWhileUnavailable } from './database-availability.ts';

const within = (ms: number) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });

/** Fails the first attempts. */
const failingOnce = (code: string) => {
  const told: boolean[] = [];
  const work = async (again: boolean) => {
    told.push(again);
    if (!again) throw Object.assign(new Error('It failed'), { code });
    return 'Done';
  };
  return { work, told };
};

test('a statement that timed out is retried', async () => {
  const { work, told } = failingOnce('57014');
  await expect(retryWhileUnavailable(work, within(30_000))).resolves.toBe('Done');
  expect(told).toEqual([false, true]);
});

test('a rejected statement is not retried', async () => {
  const { work, told } = failingOnce('42P01');
  await expect(retryWhileUnavailable(work, within(30_000))).rejects.toMatchObject({ code: '42P01' });
  expect(told).toEqual([false]);
});

describe('an outage that does not end', () => {
  const away = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

  it('is retried until the deadline', async () => {
    const told: boolean[] = [];
    const failed = retryWhileUnavailable((again) => {
      told.push(again);
      return away();
    }, within(200));
    await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(told.slice(0, 2)).toEqual([false, true]);
  });

  it('is not retried after an abort', async () => {
    const gone = new AbortController();
    const failed = retryWhileUnavailable(away, { ...within(30_000), signal: gone.signal });
    gone.abort(new PilothouseError('LEASE_LOST', 'It is over'));
    await expect(failed).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});
