import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { callOnce } from './call-model.ts';
import { ModelSilenceError } from './provider-errors.ts';

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};

describe('a streamed answer', () => {
  test('is aborted after 60 s without data, not by its total duration', async () => {
    let receiveChunk = () => {};
    const timers = new ManualTimers();
    const call = callOnce(
      {
        ref: { provider: 'openai', protocol: 'openai', model: 'spec' },
        request,
        context: { signal: new AbortController().signal, deadline: systemClock.monotonic() + 600_000 },
        clock: systemClock,
        silenceMs: 60_000,
        send: (signal, onText) =>
          new Promise<never>((_, reject) => {
            receiveChunk = onText;
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
        parseResponse: () => ({
          text: '',
          calls: [],
          finish: 'stop',
          usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
        }),
        toRefusal: () => undefined,
      },
      timers,
    );
    const outcome = call.then(
      () => 'answered',
      (error: Error) => error.message,
    );
    const currentOutcome = () => Promise.race([outcome, new Promise((resolve) => setImmediate(() => resolve('open')))]);
    for (let times = 0; times < 5; times += 1) {
      await timers.advance(59_000);
      receiveChunk();
    }
    expect(await currentOutcome()).toBe('open');
    await timers.advance(60_000);
    await expect(call).rejects.toBeInstanceOf(ModelSilenceError);
    expect(await outcome).toBe(
      'openai/spec sent no data for 60 s. If the server is slow, raise `timeoutSeconds` of "openai" in PILOTHOUSE_MODEL_ENDPOINTS, or of "openai/spec" in PILOTHOUSE_MODEL_OVERRIDES',
    );
  });
});
