import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { ActionRecorder, type ControlSession } from './action-recorder.ts';

const field: InputTarget = { locators: [{ role: 'textbox', name: 'Note' }], isSecret: false, textAction: 'fill' };

/** A recorder, the texts that it has recorded, and work that waits in the queue of manual input. */
function aRecorder() {
  const timers = new ManualTimers();
  const queue: (() => Promise<void>)[] = [];
  const texts: unknown[] = [];
  const recorder = new ActionRecorder(
    {
      events: { add: () => undefined, flush: () => Promise.resolve() } as never,
      masker: { add: () => undefined, text: (text: string) => text } as never,
      timers,
    },
    {
      isDialogOpen: () => false,
      onActions: (actions) => texts.push(...actions.map(({ action }) => 'text' in action && action.text)),
      enqueue: (_, work) => queue.push(work),
    },
  );
  const page = { url: 'app://editor/', title: 'Editor' };
  const session = {
    scope: {
      surface: { anchors: () => Promise.resolve(page) },
      signal: new AbortController().signal,
      clock: timers,
      timers,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    },
    step: {},
  } as unknown as ControlSession;
  const type = (text: string, target = field) => recorder.record({ kind: 'text', text }, target, session);
  const runQueue = async () => {
    for (let work = queue.shift(); work; work = queue.shift()) await work();
  };
  return { type, timers, runQueue, texts };
}

test('words with pauses between them are recorded as one text', async () => {
  const { type, timers, runQueue, texts } = aRecorder();
  for (const word of ['three ', 'short ', 'words']) {
    await type(word);
    await timers.advance(3_000);
    await runQueue();
  }
  expect(texts).toEqual([]);
  await timers.advance(2_000);
  await runQueue();
  expect(texts).toEqual(['three short words']);
});

test('a text is not ended while further input waits for a slow application', async () => {
  const { type, timers, runQueue, texts } = aRecorder();
  await type('slow ');
  await timers.advance(10_000);
  // The input after it was processed before the work of the timer.
  await type('application');
  await runQueue();
  expect(texts).toEqual([]);
  await timers.advance(10_000);
  await runQueue();
  expect(texts).toEqual(['slow application']);
});

test('a part of a secret is not ended by the timer of the input before it', async () => {
  const { type, timers, runQueue, texts } = aRecorder();
  await type('name');
  await timers.advance(10_000);
  // The work of the timer waits in the queue.
  await type('half a sec', { ...field, isSecret: true });
  await runQueue();
  expect(texts).toEqual(['name']);
});
