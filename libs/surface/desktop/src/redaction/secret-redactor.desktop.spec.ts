import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { until } from '@pilothouse/testing/test-helpers';
import type { DesktopSurface } from '../desktop.surface.ts';
import { isBlack } from '../testing/black-area.fixture.ts';
import { contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* A secret that is typed shows in no screenshot, element, value or clipboard that leaves the desktop. */

const SECRET = 'Tr0ub4dor€&3';

let kit: DesktopKit;
let surface: DesktopSurface;
/** Places that received the secret. */
let origins: string[];

const contextWithSecret = (seconds: number) => ({
  ...contextWithin(seconds),
  reveal: (text: string, origin: string) => {
    if (text.includes('{{inputs.password}}')) origins.push(origin);
    return Promise.resolve(text.replaceAll('{{inputs.password}}', SECRET));
  },
});
const act = (action: Action, seconds = 30) => surface.act(action, contextWithSecret(seconds));
const observe = () => surface.observe({}, contextWithin(20));

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  origins = [];
  surface = await kit.open();
}, 60_000);
afterEach(() => surface.close());

/** The field of the search, once it has the focus. */
async function searchField() {
  let field: ElementView | undefined;
  await until('the search field has the focus', async () => {
    field = (await observe()).elements.find(({ state, bounds }) => state.focused && bounds.height < 60);
    return field !== undefined;
  });
  if (!field) throw new Error('The search field has no focus');
  return field;
}

const screenshot = async () => (await surface.screenshot({}, contextWithin(20))).body;

test('a text field with a secret is black, and its text is masked', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'press', key: 'Control+F' });
  const field = await searchField();
  expect(await isBlack(await screenshot(), field.bounds)).toBe(false);
  await act({ action: 'type', text: 'x{{inputs.password}}y' });
  expect(origins).toEqual(['app://mousepad/Untitled%201%20-%20Mousepad', 'app://mousepad/Untitled%201%20-%20Mousepad']);
  const page = await observe();
  expect(JSON.stringify(page)).not.toContain(SECRET);
  expect(page.elements.find(({ index }) => index === field.index)).toMatchObject({ value: '••••' });
  expect(await isBlack(await screenshot(), field.bounds)).toBe(true);
  // The rest of the window still shows.
  expect(await isBlack(await screenshot(), { x: 330, y: 168, width: 300, height: 24 })).toBe(false);
  // Text copied from the field is masked, too.
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  await until('the clipboard has the field', async () => (await act({ action: 'readClipboard' })).value === 'x••••y');
}, 90_000);

test('a secret that another field shows later is covered there', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'press', key: 'Control+F' });
  await searchField();
  await act({ action: 'type', text: '{{inputs.password}}' });
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  await act({ action: 'press', key: 'Escape' });
  await act({ action: 'press', key: 'Control+V' });
  let page = await observe();
  let text: ElementView | undefined;
  await until('the text is pasted, and the search has closed', async () => {
    page = await observe();
    text = page.elements.find(({ value, bounds }) => value === '••••' && bounds.height > 400);
    return text !== undefined;
  });
  if (!text) throw new Error('No element has the masked text');
  expect(JSON.stringify(page)).not.toContain(SECRET);
  expect(await isBlack(await screenshot(), text.bounds)).toBe(true);
}, 90_000);

test('no frame of the live view shows a field with a secret', async () => {
  const frames: Buffer[] = [];
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  await act({ action: 'press', key: 'Control+F' });
  const field = await searchField();
  const stop = surface.screencast({
    ...{ maxWidth: 1280, maxHeight: 800, maxFramesPerSecond: 25 },
    onFrame: (frame) => {
      frames.push(frame);
      return Promise.resolve();
    },
  });
  await until('the first frame', () => frames.length > 0);
  const initialCount = frames.length;
  await act({ action: 'type', text: '{{inputs.password}}' });
  const isLastCovered = () => isBlack(frames.at(-1) ?? Buffer.alloc(0), field.bounds);
  await until('a frame with the covered field', isLastCovered);
  // Opening a menu changes the pixels beside the field.
  const first = frames.length;
  await act({ action: 'press', key: 'Alt+F' });
  await until('frames after it', () => frames.length > first);
  stop();
  const covered = await Promise.all(frames.slice(initialCount).map((frame) => isBlack(frame, field.bounds)));
  // Frames of the empty field may come before the text.
  expect(covered.slice(covered.indexOf(true))).not.toContain(false);
}, 90_000);

test.each<[string, Action]>([
  ['a terminal', { action: 'type', text: '{{inputs.password}}' }],
  ['a point of the screen', { action: 'fill', target: { point: { x: 300, y: 300 } }, text: '{{inputs.password}}' }],
])(
  '%s takes no secret: it cannot be covered',
  async (_, action) => {
    await act({ action: 'openApp', app: 'debian-xterm' });
    await expect(act(action)).rejects.toMatchObject({ code: 'ACTION_UNSUPPORTED' });
  },
  60_000,
);

test('a refused secret reaches no application', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const refused = surface.act(
    { action: 'type', text: '{{inputs.password}}' },
    { ...contextWithin(20), reveal: () => Promise.reject(new Error('refused in this application')) },
  );
  await expect(refused).rejects.toThrow('refused in this application');
  expect((await observe()).elements.find(({ role }) => role === 'textbox')?.value ?? '').toBe('');
}, 60_000);
