import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { atspiRoles } from './accessibility/roles.ts';
import { stateSetOf } from './accessibility/states.ts';
import { DesktopControl } from './desktop.control.ts';
import { DesktopScreen } from './desktop.screen.ts';

const window = {
  id: 1,
  title: 'Editor',
  appId: 'editor',
  isActive: true,
  bounds: { x: 0, y: 0, width: 800, height: 600 },
};

/** A desktop whose application never lists its elements, and the calls of its session. */
function aBusyDesktop() {
  const calls: string[] = [];
  const signals: AbortSignal[] = [];
  const answers: Record<string, unknown> = { windows: [window], activeWindow: window, windowAt: 1, press: null };
  const session = {
    call: (name: string, _: unknown, { signal }: { readonly signal: AbortSignal }) => {
      calls.push(name);
      if (name === 'observe') signals.push(signal);
      return name === 'observe' ? new Promise<never>(() => undefined) : Promise.resolve(answers[name] ?? null);
    },
  } as unknown as ConstructorParameters<typeof DesktopControl>[0];
  const timers = new ManualTimers();
  const size = { width: 800, height: 600, scale: 1 };
  const control = new DesktopControl(session, new DesktopScreen(session, size), size);
  const context = { signal: new AbortController().signal, deadline: 5_000, timers, guard: () => undefined };
  return { control, context, timers, calls, signals };
}

test('a key reaches a busy application in time, without a description of its target', async () => {
  const { control, context, timers, calls } = aBusyDesktop();
  const sent = control.send({ kind: 'key', key: 'Enter' }, context);
  await timers.advance(3_000);
  expect(await sent).toMatchObject({ locators: [], window: null });
  expect(calls.at(-1)).toBe('press');
});

test('a press reaches a busy application in time, and its place is recorded', async () => {
  const { control, context, timers, calls } = aBusyDesktop();
  const sent = control.send({ kind: 'down', x: 500, y: 500, button: 'left', count: 1 }, context);
  await timers.advance(3_000);
  expect(await sent).toEqual({ locators: [], isSecret: false, window: null });
  expect(calls.slice(-2)).toEqual(['move', 'button']);
});

test('a text into an unknown field counts as a secret', async () => {
  const { control, context, timers } = aBusyDesktop();
  const sent = control.send({ kind: 'text', text: 'words' }, context);
  await timers.advance(3_000);
  expect(await sent).toMatchObject({ isSecret: true });
});

test('the target of keys in a busy application is looked for once in some seconds', async () => {
  const { control, context, timers, calls } = aBusyDesktop();
  const limits = { ...context, deadline: 60_000 };
  const sent = control.send({ kind: 'key', key: 'Enter' }, limits);
  await timers.advance(3_000);
  await sent;
  for (const key of ['Tab', 'ArrowDown', 'Enter']) await control.send({ kind: 'key', key }, limits);
  expect(await control.send({ kind: 'text', text: 'words' }, limits)).toMatchObject({ isSecret: true });
  expect(calls.filter((name) => name === 'observe')).toHaveLength(1);
  await timers.advance(6_000);
  const later = control.send({ kind: 'key', key: 'Enter' }, limits);
  await timers.advance(3_000);
  await later;
  expect(calls.filter((name) => name === 'observe')).toHaveLength(2);
});

test('an abandoned search for a target reads no further', async () => {
  const { control, context, timers, signals } = aBusyDesktop();
  const sent = control.send({ kind: 'key', key: 'Enter' }, context);
  await timers.advance(3_000);
  await sent;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

/** A desktop whose active window has one object. @param texts of it, one for each read; the last one stays */
function aDesktopWith(
  appId: string,
  role: number,
  isFocused: boolean,
  incomplete: IncompleteReason | null,
  texts: (string | null)[] = [],
) {
  const active = { ...window, appId, instance: appId };
  const node = {
    ...{ bus: ':1.1', path: '/1', role, name: 'object', extents: { x: 10, y: 10, width: 400, height: 20 } },
    states: stateSetOf(isFocused ? 'focused' : 'enabled'),
  };
  const answers: Record<string, () => unknown> = {
    windows: () => [active],
    activeWindow: () => active,
    observe: () => ({ window: active, nodes: [node], incomplete, isAccessible: true }),
    readText: () => (texts.length > 1 ? texts.shift() : texts[0]) ?? null,
  };
  const session = {
    call: (name: string) => Promise.resolve(answers[name]?.() ?? null),
  } as unknown as ConstructorParameters<typeof DesktopControl>[0];
  const size = { width: 800, height: 600, scale: 1 };
  const control = new DesktopControl(session, new DesktopScreen(session, size), size);
  const timers = new ManualTimers();
  const context = { signal: new AbortController().signal, deadline: 5_000, timers, guard: () => undefined };
  return async (text: string) => {
    const sent = control.send({ kind: 'text', text }, context);
    await timers.advance(3_000);
    return (await sent)?.isSecret;
  };
}

test.each<[string, string, (string | null)[], boolean]>([
  ['the terminal shows the text', 'ls', ['$ ', '$ ls'], false],
  ['the terminal shows all lines of the text', 'cd a\nls\n', ['$ ', '$ cd a\n$ ls\na b\n$ '], false],
  ['the terminal shows the text later', 'ls', ['$ ', '$ ', '$ ls'], false],
  ['the terminal shows nothing', 'ls', ['Password: '], true],
  ['the terminal shows other output', 'secret', ['Password: ', 'Password: \na job ended'], true],
  ['the terminal has shown the text before', 'ls', ['$ ls\nPassword: ', '$ ls\nPassword: \na job ended'], true],
  ['the terminal does not answer before the text', 'ls', [null, '$ ls'], true],
  ['the terminal does not answer after the text', 'ls', ['$ ', null], true],
])('a text in a terminal is a secret without its echo: %s', async (_, text, texts, isSecret) => {
  const type = aDesktopWith('xfce4-terminal', atspiRoles.terminal, true, null, texts);
  expect(await type(text)).toBe(isSecret);
});

test('a text counts as a secret if the focused field is missing in an incomplete list', async () => {
  expect(await aDesktopWith('editor', atspiRoles.button, false, 'timeout')('words')).toBe(true);
  expect(await aDesktopWith('editor', atspiRoles.button, false, null)('words')).toBe(false);
});
