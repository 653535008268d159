import { poll } from '@pilothouse/core/time/deadlines';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { DesktopSurface } from './desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from './testing/desktop.fixture.ts';

const MIXED = 'Grüße – 5 € ЖЯ 日本 "q" {}[]|~\\';

/** Longer than an application needs to start. */
const BUSY_MS = 5_000;

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

const openWriter = async () => {
  await act({ action: 'openApp', app: 'libreoffice-writer' }, 60);
  await act({ action: 'waitFor', condition: { title: 'Tip of the Day' } }, 60);
  await act({ action: 'press', key: 'Escape' });
  await act({ action: 'waitFor', condition: { title: 'LibreOffice Writer' } });
};

test.each(['org.xfce.mousepad', 'featherpad', 'xfce4-terminal'])(
  'a text that %s shows is delivered',
  async (app) => {
    await act({ action: 'openApp', app });
    expect(await act({ action: 'type', text: MIXED })).toMatchObject({ effect: 'confirmed' });
  },
  60_000,
);

test('a pasted text is delivered, and inserted at the caret', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'end' });
  await act({ action: 'press', key: 'Home' });
  const long = 'emoji 😀 line\n'.repeat(30);
  expect(await act({ action: 'type', text: long })).toMatchObject({ effect: 'confirmed' });
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  expect((await act({ action: 'readClipboard' })).value).toBe(`${long}end`);
}, 60_000);

test('an application that is temporarily busy receives the exact text', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const pids = await kit.pidsOf('mousepad');
  const signalAll = (signal: NodeJS.Signals) => pids.forEach((pid) => process.kill(pid, signal));
  signalAll('SIGSTOP');
  const typing = act({ action: 'type', text: MIXED }, 30);
  await systemTimers.delay(BUSY_MS);
  signalAll('SIGCONT');
  await typing;
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  const copied = () => act({ action: 'readClipboard' }).then(({ value }) => (value === MIXED ? value : undefined));
  expect(await poll(copied, contextWithin(5))).toBe(MIXED);
}, 60_000);

test('a text that a busy application fetches late is pasted once', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const pids = await kit.pidsOf('mousepad');
  const signalAll = (signal: NodeJS.Signals) => pids.forEach((pid) => process.kill(pid, signal));
  signalAll('SIGSTOP');
  const typing = act({ action: 'type', text: `${MIXED} 😀` }, 40);
  await systemTimers.delay(3 * BUSY_MS);
  signalAll('SIGCONT');
  await typing;
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  const copied = () => act({ action: 'readClipboard' }).then(({ value }) => value || undefined);
  expect(await poll(copied, contextWithin(15))).toBe(`${MIXED} 😀`);
}, 90_000);

test('a text that a hung application does not fetch is withdrawn', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'kept' });
  await act({ action: 'writeClipboard', text: 'before' });
  const pids = await kit.pidsOf('mousepad');
  pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
  await expect(act({ action: 'type', text: 'late 😀' }, 8)).rejects.toMatchObject({ code: 'TYPED_TEXT_DIFFERS' });
  pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
  expect(await act({ action: 'type', text: '!' }, 30)).toMatchObject({ effect: 'confirmed' });
  expect((await act({ action: 'extract', target: { role: 'textbox' }, value: {} })).value).toBe('kept!');
}, 90_000);

test('the clipboard is read after a busy application has copied', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: MIXED });
  await act({ action: 'writeClipboard', text: 'old' });
  await act({ action: 'press', key: 'Control+A' });
  const pids = await kit.pidsOf('mousepad');
  pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
  await act({ action: 'press', key: 'Control+C' });
  const reading = act({ action: 'readClipboard' });
  await systemTimers.delay(1_000);
  pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
  expect((await reading).value).toBe(MIXED);
}, 60_000);

test('the field of a dialog is replaced, extended and emptied', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'press', key: 'Control+Shift+S' });
  const target = { label: 'Name' };
  for (const action of [
    { action: 'fill', target, text: 'first.txt' },
    { action: 'fill', target, text: 'second' },
    { action: 'fill', target, text: '.ätxt', append: true },
    { action: 'clear', target },
  ] as const)
    expect(await act(action)).toMatchObject({ effect: 'confirmed' });
}, 60_000);

test('a terminal without accessible text is unverified', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' });
  expect(await act({ action: 'type', text: MIXED })).toMatchObject({ effect: 'unverifiable' });
}, 60_000);

test('keys and a paste that nothing takes fail', async () => {
  await act({ action: 'openApp', app: 'org.kde.kate' }, 30);
  await act({ action: 'waitFor', condition: { visible: { role: 'tab', name: 'Welcome' } } });
  await expect(act({ action: 'type', text: 'lost' })).rejects.toMatchObject({
    code: 'TYPED_TEXT_DIFFERS',
    details: { readback: { status: 'different', reason: expect.stringContaining('nothing changed on the screen') } },
  });
  await expect(act({ action: 'type', text: 'lost 😀' })).rejects.toMatchObject({
    code: 'TYPED_TEXT_DIFFERS',
    details: { readback: { status: 'different', reason: 'The application did not fetch the pasted text' } },
  });
}, 60_000);

test('paragraphs of Writer are delivered, and quotes that AutoCorrect curls fail', async () => {
  await openWriter();
  expect(await act({ action: 'type', text: 'Grüße ЖЯ 日本\nsecond line' }, 30)).toMatchObject({
    effect: 'confirmed',
  });
  // Writer runs the command of Return after letters that follow at once.
  for (const text of ['\nthird', '\tone\t2\n\n5 € ', 'six \nseven\n8'])
    expect(await act({ action: 'type', text }, 30)).toMatchObject({ effect: 'confirmed' });
  await expect(act({ action: 'type', text: ' and "quotes" here' }, 30)).rejects.toMatchObject({
    code: 'TYPED_TEXT_DIFFERS',
    details: { readback: { status: 'different', difference: { expected: '"quotes" here', actual: '“quotes” here' } } },
  });
}, 120_000);
