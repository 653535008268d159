import { systemTimers } from '@pilothouse/core/time/timers';
import { DesktopScreen } from './desktop.screen.ts';
import { SessionTimeoutError } from './session/session-client.ts';

const window = {
  ...{ id: 1, title: 'Editor', appId: 'editor', instance: 'editor', isActive: true },
  bounds: { x: 0, y: 0, width: 800, height: 600 },
};
const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
const line = { words: [{ text: 'seen', bounds: window.bounds, isCertain: true }] };

/** Observes a whole window. @param answers of the session; an error is thrown */
function observe(answers: Record<string, unknown>) {
  const tree = { window, nodes: [], incomplete: null, isAccessible: true };
  const allAnswers: Record<string, unknown> = { windows: [window], observe: tree, readScreenText: [line], ...answers };
  const call = (name: string) =>
    allAnswers[name] instanceof Error ? Promise.reject(allAnswers[name]) : Promise.resolve(allAnswers[name] ?? null);
  const session = { call } as unknown as ConstructorParameters<typeof DesktopScreen>[0];
  return new DesktopScreen(session, { width: 800, height: 600, scale: 1 }).observe(context, { level: 'page' });
}

test('a recognized text says why the application gave none', async () => {
  const read = await observe({ readWindowText: { text: '', incomplete: 'timeout' } });
  expect(read).toMatchObject({
    text: { text: 'seen', isRecognized: true },
    incomplete: { reason: 'timeout', app: 'editor' },
  });
});

test('a text that was read in part is not recognized again', async () => {
  const { text, incomplete } = await observe({ readWindowText: { text: 'read', incomplete: 'truncated' } });
  expect([text, incomplete?.reason]).toEqual([{ text: 'read', length: 4 }, 'truncated']);
});

test('a text that cannot be read in time is missing', async () => {
  const { text, incomplete } = await observe({ readWindowText: new SessionTimeoutError('no answer') });
  expect([text, incomplete?.reason]).toEqual([undefined, 'timeout']);
});

test('a recognition that fails is no slow application', async () => {
  await expect(observe({ readScreenText: new Error('tesseract is not installed') })).rejects.toThrow('tesseract');
});

test('a pause leaves the time of the last read before the deadline', async () => {
  const readMs = 900;
  let nowMs = 0;
  const pauses: unknown[] = [];
  const call = async (name: string, args: unknown) => {
    if (name === 'restEnd') pauses.push(args);
    if (name === 'observe') nowMs += readMs;
    return name === 'observe' ? { window, nodes: [], incomplete: null, isAccessible: true } : 60_000;
  };
  const session = { call } as unknown as ConstructorParameters<typeof DesktopScreen>[0];
  const timers = { ...systemTimers, monotonic: () => nowMs };
  const screen = new DesktopScreen(session, { width: 800, height: 600, scale: 1 });
  const limits = { signal: context.signal, deadline: 3_000, timers };
  await screen.read(limits);
  await screen.pauseWhileUnchanged(limits);
  expect(pauses).toEqual([expect.objectContaining({ timeoutMs: 3_000 - 2 * readMs })]);
});
