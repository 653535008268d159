import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  surface = await kit.open();
}, 60_000);
afterAll(async () => {
  await surface.close();
  expect(await kit.close()).toMatchObject({ pids: [] });
}, 30_000);

test('text of a terminal without accessible objects is found, clicked, and costs nothing while it stays', async () => {
  await act({ action: 'openApp', app: 'debian-xterm' }, 60);
  const file = join(kit.sharedFolder, 'notes.txt');
  await writeFile(file, 'Invoice number 4711 was paid\n');
  await act({ action: 'type', text: `clear; cat ${file}\n` }, 60);
  await act({ action: 'waitFor', condition: { text: 'Invoice number 4711' } }, 60);
  const { located } = await act({ action: 'click', target: { screenText: 'was paid', app: 'xterm' } }, 60);
  expect(located?.locator).toBe('app=xterm screenText="was paid"');
  await act({ action: 'waitFor', condition: { stableMs: 300 } }, 30);
  await surface.isMet({ visible: { screenText: 'paid' } }, contextWithin(20));
  const times: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const startedAt = performance.now();
    expect(await surface.isMet({ visible: { screenText: 'paid' } }, contextWithin(20))).toBe(true);
    times.push(performance.now() - startedAt);
  }
  expect(Math.min(...times)).toBeLessThan(500);
  const missing = act({ action: 'click', target: { screenText: 'overdue' } }, 10);
  await expect(missing).rejects.toThrow('screenText="overdue" is not in the active window');
}, 180_000);

test('finds and clicks an image of a menu, and names a missing image', async () => {
  await act({ action: 'openApp', app: 'org.xfce.mousepad' }, 60);
  await act({ action: 'waitFor', condition: { stableMs: 300 } }, 30);
  const { elements } = await surface.observe({}, contextWithin(20));
  const bounds = elements.find(({ name }) => name === 'Search')?.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
  const { body } = await surface.screenshot({}, contextWithin(20));
  const region = { left: bounds.x, top: bounds.y, width: bounds.width, height: bounds.height };
  const data = (await sharp(body).extract(region).png().toBuffer()).toString('base64');
  await act({ action: 'waitFor', condition: { image: { data } } }, 30);
  await act({ action: 'click', target: { image: { data } } }, 30);
  await act({ action: 'waitFor', condition: { visible: { role: 'menuitem', name: 'Find Next' } } }, 30);
  await act({ action: 'press', key: 'Escape', times: 2 }, 30);
  await act({ action: 'closeWindow', app: 'mousepad' }, 30);
  await act({ action: 'waitFor', condition: { hidden: { image: { data } } } }, 30);
  await expect(surface.expect({ image: { data } }, contextWithin(10))).rejects.toThrow(
    'The image is not on the screen',
  );
}, 180_000);
