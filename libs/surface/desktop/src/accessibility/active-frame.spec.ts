import type { WindowFacts } from '../x/window-manager.ts';
import { withoutSiblings } from './active-frame.ts';

const bounds = (x: number, y: number) => ({ x, y, width: 800, height: 600 });

const windowWith = (id: number, title: string, x = 0, y = 0): WindowFacts => ({
  ...{ id, title, appId: 'chromium', instance: 'chromium', pid: 7 },
  ...{ isActive: false, isMinimized: false, isMaximized: false, isFullscreen: false, isDialog: false },
  bounds: bounds(x, y),
});
const frame = (name: string, x = 0, y = 0) => ({ name, states: [], extents: bounds(x, y) });
const start = windowWith(1, 'Start');
const newTab = windowWith(2, 'New Tab', 10, 10);

test('a window that has just opened does not get the frame of another window', () => {
  expect(withoutSiblings([frame('Start')], newTab, [start])).toEqual([]);
  expect(withoutSiblings([frame('Start'), frame('New Tab')], newTab, [start])).toEqual([frame('New Tab')]);
});

test('frames without a name, and with a title of no window, stay', () => {
  const frames = [frame(''), frame('Start page')];
  expect(withoutSiblings(frames, newTab, [start, windowWith(3, '')])).toEqual(frames);
});

test.each([
  ['the frame of the old window', frame('Start', 0, 20), []],
  ['its own frame', frame('Start', 10, 30), [frame('Start', 10, 30)]],
])('of two windows with one title and one frame, the new one gets %s only if it is nearest', (_, published, own) => {
  expect(withoutSiblings([published], windowWith(2, 'Start', 10, 10), [start])).toEqual(own);
});

test('of two windows with one title, a frame without a place belongs to neither', () => {
  const frame = { name: 'Start', states: [], extents: null };
  expect(withoutSiblings([frame], windowWith(2, 'Start', 10, 10), [start])).toEqual([]);
});

test('of two windows with one title and two frames, both stay', () => {
  const frames = [frame('Start'), frame('Start', 10, 10)];
  expect(withoutSiblings(frames, windowWith(2, 'Start'), [start])).toEqual(frames);
});
