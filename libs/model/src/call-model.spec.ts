import { jest } from '@jest/globals';
import type { ModelRequest } from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { callOnce } from './call-model.ts';

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};

describe('an answer that comes piece by piece', () => {
  beforeEach(
    () => void jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate', 'nextTick', 'queueMicrotask'] }),
  );
  afterEach(() => void jest.useRealTimers());

  test('may take long, and is given up when nothing comes for a while', async () => {
    let piece = () => {};
    const call = callOnce({
      ref: { provider: 'openai', protocol: 'openai', model: 'spec' },
      request,
      context: { signal: new AbortController().signal, deadline: systemClock.monotonic() + 600_000 },
      clock: systemClock,
      silenceMs: 60_000,
      send: (signal, heard) =>
        new Promise<never>((_, reject) => {
          piece = heard;
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      read: () => ({ text: '', calls: [], finish: 'stop', used: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } }),
      refused: () => undefined,
    });
    const ended = call.then(
      () => 'answered',
      (error: Error) => error.message,
    );
    const sofar = () => Promise.race([ended, new Promise((resolve) => setImmediate(() => resolve('open')))]);
    for (let times = 0; times < 5; times += 1) {
      jest.advanceTimersByTime(59_000);
      piece();
    }
    expect(await sofar()).toBe('open');
    jest.advanceTimersByTime(60_000);
    expect(await ended).toBe('openai/spec said nothing for 60 s');
  });
});
