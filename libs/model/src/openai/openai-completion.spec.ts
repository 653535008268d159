import type { Timer, Timers } from '@pilothouse/core/time/timers';
import { systemTimers } from '@pilothouse/core/time/timers';
import type OpenAI from 'openai';
import { collectOpenAiStream } from './openai-completion.ts';

type Chunk = OpenAI.ChatCompletionChunk;

const aChunk = (content: string, finishReason: 'stop' | null = null) =>
  ({ id: '1', choices: [{ index: 0, delta: { content }, finish_reason: finishReason }] }) as unknown as Chunk;

test('chunks after the finish reason do not extend the time for the token counts', async () => {
  const callbacks: (() => void)[] = [];
  const timers: Timers = {
    ...systemTimers,
    setTimeout: (callback) => {
      callbacks.push(callback);
      return systemTimers.setTimeout(() => undefined, 0) satisfies Timer;
    },
  };
  let sent = 0;
  /** A server that sends empty chunks for ever. */
  async function* stream() {
    yield aChunk('ready', 'stop');
    for (;;) {
      sent += 1;
      if (sent === 20) callbacks[0]?.();
      if (sent > 1000) throw new Error('The stream was read without an end');
      yield aChunk('');
    }
  }
  const completion = await collectOpenAiStream(stream(), () => undefined, timers);
  expect(completion.choices[0]?.message.content).toBe('ready');
  expect(callbacks).toHaveLength(1);
  expect(sent).toBeLessThan(30);
});

test('parts of a call with an id each are one call', async () => {
  const part = (id: string, args: string, name?: string) =>
    ({
      id: '1',
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id, function: { arguments: args, ...(name !== undefined && { name }) } }] },
          finish_reason: name === undefined ? 'tool_calls' : null,
        },
      ],
    }) as unknown as Chunk;
  async function* stream() {
    yield part('a', '{"element"', 'click');
    yield part('b', ': 5}');
  }
  const completion = await collectOpenAiStream(stream(), () => undefined);
  expect(completion.choices[0]?.message.tool_calls).toMatchObject([
    { function: { name: 'click', arguments: '{"element": 5}' } },
  ]);
});
