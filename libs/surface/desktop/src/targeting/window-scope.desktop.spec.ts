import { systemTimers } from '@pilothouse/core/time/timers';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

test('a locator with an application activates a background window and finds its element there', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'openApp', app: 'featherpad' });
  const edit = { role: 'menuitem', name: 'Search', exact: true, app: 'mousepad' };
  expect(await surface.isMet({ visible: edit }, contextWithin(10))).toBe(true);
  expect((await surface.anchors(contextWithin(10))).app).toBe('featherpad');
  await act({ action: 'click', target: edit });
  await act({ action: 'click', target: { role: 'menuitem', name: 'Find Next', app: 'mousepad' } });
  expect(await surface.anchors(contextWithin(10))).toMatchObject({ app: 'mousepad' });
}, 60_000);

test('conditions hold for open windows, active or not', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'openApp', app: 'featherpad' });
  const isMet = (condition: Parameters<DesktopSurface['isMet']>[0]) => surface.isMet(condition, contextWithin(10));
  expect(await isMet({ app: 'mousepad' })).toBe(true);
  expect(await isMet({ window: 'untitled 1 - mouse' })).toBe(true);
  expect(await isMet({ app: 'featherpad', window: 'mousepad' })).toBe(false);
  expect(await isMet({ app: 'kate' })).toBe(false);
  await expect(surface.expect({ window: 'Save As' }, contextWithin(1))).rejects.toThrow('No window "Save As" is open');
}, 60_000);

test('a missing element of a window is named with the window', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await expect(act({ action: 'click', target: { role: 'button', app: 'kate' } }, 1)).rejects.toThrow(
    'role=button is not in the window of kate',
  );
}, 60_000);

test('the screen is stable beside a blinking caret, and not while text appears', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'waitFor', condition: { stableMs: 1_500 } });
  await act({ action: 'type', text: 'x' });
  await expect(surface.expect({ stableMs: 60_000 }, contextWithin(1))).rejects.toThrow(/The screen changed \d+ ms ago/);
}, 60_000);

test('a stopped application is named as incomplete within the deadline of a read', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const [pid] = await kit.pidsOf('mousepad');
  if (pid === undefined) throw new Error('mousepad does not run');
  process.kill(pid, 'SIGSTOP');
  const observation = await surface.observe({}, contextWithin(10));
  process.kill(pid, 'SIGCONT');
  expect(observation).toMatchObject({ incomplete: { reason: 'unresponsive', app: 'mousepad' }, elements: [] });
  expect(observation.screen).toEqual({ width: 1280, height: 800, scale: 1 });
  await act({ action: 'waitFor', condition: { visible: { role: 'menuitem', name: 'Edit' } } });
  expect((await surface.observe({}, contextWithin(10))).incomplete).toBeUndefined();
}, 60_000);

test('a step on a stopped application names its locator and the cause, and another one continues with it', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const [pid] = await kit.pidsOf('mousepad');
  if (pid === undefined) throw new Error('mousepad does not run');
  process.kill(pid, 'SIGSTOP');
  await expect(act({ action: 'click', target: { role: 'menuitem', name: 'Edit' } }, 2)).rejects.toMatchObject({
    code: 'STEP_TIMED_OUT',
    message: expect.stringMatching(/^role=menuitem\[name="Edit"\] was not found .+: the application does not respond/),
  });
  // A title needs no list of elements.
  await act({ action: 'waitFor', condition: { title: 'Mousepad' } }, 2);
  const clicking = act({ action: 'click', target: { role: 'menuitem', name: 'Edit' } }, 30);
  await systemTimers.delay(6_000);
  process.kill(pid, 'SIGCONT');
  expect((await clicking).located?.locator).toBe('role=menuitem[name="Edit"]');
}, 90_000);

test('open dialogs and unsaved texts at the end of a run are warnings', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'type', text: 'not saved' });
  await act({ action: 'press', key: 'Control+S' });
  await act({ action: 'waitFor', condition: { title: 'Save' } });
  const warnings: string[] = [];
  await surface.restoreFields({ ...contextWithin(10), onWarning: (message) => void warnings.push(message) });
  expect(warnings.toSorted()).toEqual([
    expect.stringContaining('has unsaved changes'),
    expect.stringContaining('is an open dialog'),
  ]);
}, 60_000);

test('a condition and a locator find a window by the id that openApp took', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' }, 40);
  await act({ action: 'waitFor', condition: { app: 'debian-xterm' } });
  await act({ action: 'switchWindow', app: 'debian-xterm' });
  await act({ action: 'waitFor', condition: { app: 'xterm' } });
}, 60_000);
