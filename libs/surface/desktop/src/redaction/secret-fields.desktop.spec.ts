import type { Action } from '@pilothouse/contract/actions/action-sets';
import { until } from '@pilothouse/testing/test-helpers';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesktopSurface } from '../desktop.surface.ts';
import { isBlack } from '../testing/black-area.fixture.ts';
import { contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* A page is read in two ways. Both hide a secret in a field, also if the page changes it. */

const SECRET = 'Hush-Hush-4711';
const CHANGED = SECRET.toUpperCase();

const PAGE = `<!doctype html><title>Vault</title><a href="https://vault.example/">Help</a>
<p><label>Key <input id=key style="width: 250px; height: 30px"
  oninput="this.value = this.value.toUpperCase()"></label>
<p><button onclick="const end = Date.now() + 15000; while (Date.now() < end);">Hang</button>`;

let kit: DesktopKit;
let surface: DesktopSurface;

const act = (action: Action, seconds = 30) =>
  surface.act(action, {
    ...contextWithin(seconds),
    reveal: (text: string) => Promise.resolve(text.replaceAll('{{inputs.key}}', SECRET)),
  });
const observe = () => surface.observe({}, contextWithin(20));
const screenshot = async () => (await surface.screenshot({}, contextWithin(20))).body;

beforeAll(async () => {
  kit = await startDesktopKit();
  surface = await kit.open();
}, 60_000);
afterAll(async () => {
  await surface.close();
  await rm(join(kit.sharedFolder, 'vault.html'), { force: true });
  expect(await kit.close()).toEqual({ files: [], pids: [] });
}, 30_000);

test('a secret that a page changes is in no element and no screenshot, over the pipe and over AT-SPI', async () => {
  const file = join(kit.sharedFolder, 'vault.html');
  await writeFile(file, PAGE);
  await act({ action: 'openApp', app: 'chromium', args: [`file://${file}`] }, 90);
  await until('the page is read over the pipe', async () =>
    (await observe()).elements.some(({ linkUrl }) => linkUrl !== undefined),
  );
  const failure: unknown = await act({ action: 'fill', target: { label: 'Key' }, text: '{{inputs.key}}' }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: 'TYPED_TEXT_DIFFERS' });
  expect(JSON.stringify(failure)).not.toMatch(/hush/i);
  const { elements } = await observe();
  const field = elements.find(({ role, name }) => role === 'textbox' && name === 'Key');
  if (!field) throw new Error('The field has gone');
  expect(field.value).toBe('••••');
  expect(JSON.stringify(elements)).not.toContain(SECRET);
  expect(JSON.stringify(elements)).not.toContain(CHANGED);
  expect(await isBlack(await screenshot(), field.bounds)).toBe(true);

  await act({ action: 'click', target: { role: 'button', name: 'Hang' } });
  const hanging = (await observe()).elements;
  expect(hanging.filter(({ linkUrl }) => linkUrl !== undefined)).toEqual([]);
  expect(hanging).toContainEqual(expect.objectContaining({ role: 'textbox', name: 'Key', value: '••••' }));
  expect(JSON.stringify(hanging)).not.toContain(SECRET);
  expect(JSON.stringify(hanging)).not.toContain(CHANGED);
  expect(await isBlack(await screenshot(), field.bounds)).toBe(true);
}, 180_000);
