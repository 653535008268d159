import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { retryWhileUnavailable } from './database-availability.ts';

const within = (ms: number) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });

/** Fails the first attempts. */
const failingOnce = (code: string) => {
  const retryFlags: boolean[] = [];
  const work = async (isRetry: boolean) => {
    retryFlags.push(isRetry);
    if (!isRetry) throw Object.assign(new Error('It failed'), { code });
    return 'Done';
  };
  return { work, retryFlags };
};

test('a statement that timed out is retried', async () => {
  const { work, retryFlags } = failingOnce('57014');
  await expect(retryWhileUnavailable(work, within(30_000))).resolves.toBe('Done');
  expect(retryFlags).toEqual([false, true]);
});

test('a rejected statement is not retried', async () => {
  const { work, retryFlags } = failingOnce('42P01');
  await expect(retryWhileUnavailable(work, within(30_000))).rejects.toMatchObject({ code: '42P01' });
  expect(retryFlags).toEqual([false]);
});

describe('an outage that does not end', () => {
  const failUnreachable = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

  it('is retried until the deadline', async () => {
    const retryFlags: boolean[] = [];
    const result = retryWhileUnavailable((isRetry) => {
      retryFlags.push(isRetry);
      return failUnreachable();
    }, within(200));
    await expect(result).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(retryFlags.slice(0, 2)).toEqual([false, true]);
  });

  it('is not retried after an abort', async () => {
    const abort = new AbortController();
    const result = retryWhileUnavailable(failUnreachable, { ...within(30_000), signal: abort.signal });
    abort.abort(new PilothouseError('LEASE_LOST', 'It is over'));
    await expect(result).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});
