import type { WindowFacts } from '../x/window-manager.ts';
import { OpenedWindows } from './opened-windows.ts';

const aWindow = (id: number, appId: string, pid: number) =>
  ({ id, appId, instance: appId, title: appId, pid, isActive: false }) as WindowFacts;

const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };

/** A session in which one process is one program. @param windows the topmost last; may change */
function aSession(windows: WindowFacts[]) {
  const call = (name: string, args: unknown) => {
    const [first, second] = name === 'isSameProgram' ? (args as [WindowFacts, WindowFacts]) : [];
    return Promise.resolve(name === 'windows' ? windows : first?.pid === second?.pid);
  };
  const opened = new OpenedWindows({ call } as unknown as ConstructorParameters<typeof OpenedWindows>[0]);
  const names = async () => (await opened.list(context)).map(({ openedAs }) => openedAs);
  return { opened, names };
}

test('the id that opened a window belongs to this window, and not to others of its application', async () => {
  const [xterm, secondXterm] = [aWindow(1, 'xterm', 11), aWindow(2, 'xterm', 12)];
  const { opened, names } = aSession([xterm, secondXterm]);
  await opened.remember({ app: 'Debian-XTerm', pid: 11 }, xterm, context);
  expect(await names()).toEqual([['debian-xterm'], []]);
});

test('a window of another program, which opened at the same time, gets no name', async () => {
  const message = aWindow(1, 'notifier', 99);
  const { opened, names } = aSession([message]);
  await opened.remember({ app: 'debian-xterm', pid: 11 }, message, context);
  expect(await names()).toEqual([[]]);
});

test('a new window with the id of a closed one has not its name', async () => {
  const windows = [aWindow(1, 'xterm', 11)];
  const { opened, names } = aSession(windows);
  await opened.remember({ app: 'debian-xterm', pid: 11 }, aWindow(1, 'xterm', 11), context);
  windows.length = 0;
  expect(await names()).toEqual([]);
  windows.push(aWindow(1, 'editor', 12));
  expect(await names()).toEqual([[]]);
});

test('a list finds the windows of the programs that a profile has started', async () => {
  const { opened } = aSession([aWindow(1, 'xterm', 11), aWindow(2, 'editor', 12)]);
  const windows = await opened.listAfter([{ app: 'debian-xterm', pid: 11 }], context);
  expect(windows.map(({ openedAs }) => openedAs)).toEqual([['debian-xterm'], []]);
});
