import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { isBlack } from '../testing/black-area.fixture.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';
import { encryptedPdf } from '../testing/encrypted-pdf.fixture.ts';

/* A password field is black in every screenshot, also if no step of the run types into it. Its value is in no element. */

const PASSWORD = 'Correct-Horse-7';

const PAGE = `<!doctype html><title>Sign in</title><p>Please sign in.</p>
<label>User <input id=user value=robin></label>
<p><label>Password <input id=password type=password value=${PASSWORD} style="width: 200px; height: 30px"></label></p>
<button onclick="password.type = 'text'; document.title = 'Shown'">Show</button>
<button onclick="password.parentNode.parentNode.style.marginTop = '150px'; document.title = 'Moved'">Move</button>`;

let kit: DesktopKit;
let surface: DesktopSurface;

const act = actor(() => surface);
const screenshot = async () => (await surface.screenshot({}, contextWithin(20))).body;

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  surface = await kit.open();
}, 60_000);
afterEach(async () => {
  await surface.close();
  await Promise.all(['locked.pdf', 'sign-in.html'].map((file) => rm(join(kit.sharedFolder, file), { force: true })));
});

/** The only element that matches. */
async function find(matches: (element: ElementView) => boolean): Promise<ElementView> {
  let found: ElementView | undefined;
  await until('the element is in the active window', async () => {
    found = (await surface.observe({}, contextWithin(20))).elements.find(matches);
    return found !== undefined;
  });
  if (!found) throw new Error('No element matches');
  return found;
}

async function openPage(): Promise<ElementView> {
  const file = join(kit.sharedFolder, 'sign-in.html');
  await writeFile(file, PAGE);
  await act({ action: 'openApp', app: 'chromium', args: [`file://${file}`] }, 90);
  await act({ action: 'waitFor', condition: { text: 'Please sign in.' } }, 60);
  return find(({ role, secret }) => role === 'textbox' && secret === true);
}

test.each([
  ['GTK', 'atril'],
  ['Qt', 'qpdfview'],
])(
  'the password field of a dialog of %s is black before and after a text is typed into it',
  async (_, app) => {
    const file = join(kit.sharedFolder, 'locked.pdf');
    await writeFile(file, encryptedPdf(PASSWORD));
    await act({ action: 'openApp', app, args: [file] }, 60);
    const field = await find(({ role, state }) => role === 'textbox' && state.focused === true);
    expect(await isBlack(await screenshot(), field.bounds)).toBe(true);
    await act({ action: 'type', text: PASSWORD });
    const { elements } = await surface.observe({}, contextWithin(20));
    expect(elements.find(({ index }) => index === field.index)).toMatchObject({ secret: true });
    expect(JSON.stringify(elements)).not.toContain(PASSWORD);
    const image = await screenshot();
    expect(await isBlack(image, field.bounds)).toBe(true);
    // The rest of the dialog still shows.
    expect(await isBlack(image, { ...field.bounds, y: field.bounds.y - field.bounds.height - 8 })).toBe(false);
  },
  120_000,
);

test('a password field of a page is black, even while the page shows the password', async () => {
  const field = await openPage();
  expect(await isBlack(await screenshot(), field.bounds)).toBe(true);
  await act({ action: 'click', target: { role: 'button', name: 'Move' } });
  await act({ action: 'waitFor', condition: { title: 'Moved' } });
  const moved = await find(
    ({ role, secret, bounds }) => role === 'textbox' && secret === true && bounds.y > field.bounds.y + 100,
  );
  const image = await screenshot();
  expect(await isBlack(image, moved.bounds)).toBe(true);
  expect(await isBlack(image, field.bounds)).toBe(false);
  await act({ action: 'click', target: { role: 'button', name: 'Show' } });
  await act({ action: 'waitFor', condition: { title: 'Shown' } });
  expect(await isBlack(await screenshot(), moved.bounds)).toBe(true);
  expect(JSON.stringify(await surface.observe({}, contextWithin(20)))).not.toContain(PASSWORD);
}, 180_000);

test('a window above a password field is not covered', async () => {
  const field = await openPage();
  await act({ action: 'openApp', app: 'debian-xterm' }, 40);
  const { x, y } = field.bounds;
  await act({
    action: 'setWindow',
    app: 'xterm',
    bounds: { x: Math.max(0, x - 50), y: Math.max(0, y - 50), width: 500, height: 300 },
  });
  expect(await isBlack(await screenshot(), field.bounds)).toBe(false);
  await act({ action: 'switchWindow', window: 'Sign in' });
  expect(await isBlack(await screenshot(), field.bounds)).toBe(true);
}, 180_000);

test('the live view covers a password field without a further change of the screen', async () => {
  const frames: Buffer[] = [];
  const stop = surface.screencast({
    ...{ maxWidth: 1280, maxHeight: 800, maxFramesPerSecond: 25 },
    onFrame: (frame) => {
      frames.push(frame);
      return Promise.resolve();
    },
  });
  const field = await openPage();
  await until('a frame with the covered field', () => isBlack(frames.at(-1) ?? Buffer.alloc(0), field.bounds));
  stop();
}, 180_000);
