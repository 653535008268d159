import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import type { WindowFacts } from '../x/window-manager.ts';
import { ExpectedWindow } from './expected-window.ts';

const aWindow = (id: number, appId: string, isActive = false) =>
  ({ id, appId, instance: appId, title: `Title of ${appId}`, pid: null, isActive }) as WindowFacts;

/** The first probe is the only one. */
const context = { signal: new AbortController().signal, deadline: 0 };

/** @param windows the topmost last */
function aRun(windows: WindowFacts[]) {
  const answers: Record<string, (args: unknown) => unknown> = {
    windows: () => windows,
    activeWindow: () => windows.find(({ isActive }) => isActive) ?? null,
    isSameProgram: (args) => new Set((args as WindowFacts[]).map(({ appId }) => appId)).size === 1,
  };
  const call = (name: string, args: unknown) => Promise.resolve(answers[name]?.(args));
  const session = { call } as unknown as ConstructorParameters<typeof ExpectedWindow>[0];
  return new ExpectedWindow(session, { windows: () => Promise.resolve(windows) });
}

test.each<[Condition]>([
  [{ app: 'editor' }],
  [{ window: 'title of editor' }],
  [{ visible: { role: 'textbox', app: 'editor' } }],
  [{ enabled: [{ role: 'button' }, { role: 'textbox', window: 'of editor' }] }],
])('a condition that names a window expects it, and not the active one: %j', async (condition) => {
  const expected = aRun([aWindow(1, 'editor'), aWindow(2, 'thief', true)]);
  await expected.rememberAfter(condition, context);
  await expect(expected.activeWindow(context)).rejects.toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('of thief has the focus instead of editor'),
  });
});

test('a condition expects the window that an id has opened, although the window has another id', async () => {
  const opened = { ...aWindow(1, 'xterm'), openedAs: ['debian-xterm'] };
  const expected = aRun([opened, aWindow(2, 'thief', true)]);
  await expected.rememberAfter({ app: 'debian-xterm' }, context);
  await expect(expected.activeWindow(context)).rejects.toMatchObject({
    message: expect.stringContaining('of thief has the focus instead of xterm'),
  });
});

test('a condition on the content expects the active window', async () => {
  const windows = [aWindow(1, 'editor'), aWindow(2, 'viewer', true)];
  const expected = aRun(windows);
  expected.set(aWindow(1, 'editor'));
  await expected.rememberAfter({ title: 'Title of viewer' }, context);
  expect(await expected.activeWindow(context)).toBe(windows[1]);
});

test('a closed window without an application id is not expected in others without one', async () => {
  const windows = [aWindow(2, '', true)];
  const expected = aRun(windows);
  expected.set({ ...aWindow(1, ''), pid: 11 });
  expect(await expected.activeWindow(context)).toBe(windows[0]);
});
