import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { WindowFacts } from '../x/window-manager.ts';
import type { ChromiumTab } from './chromium-tabs.ts';
import { findVisiblePage } from './visible-page.ts';

const bounds = { x: 0, y: 0, width: 800, height: 600 };

const windowWith = (id: number, title: string): WindowFacts => ({
  ...{ id, title: `${title} - Chromium`, appId: 'chromium', instance: 'chromium', pid: 7 },
  ...{ isActive: false, isMinimized: false, isMaximized: false, isFullscreen: false, isDialog: false },
  bounds,
});

/** A browser with a visible tab for each title. All have the same bounds. @param focused title of the page with the focus */
function browserWith(titles: readonly string[], focused: string | null) {
  const tabs = titles.map((title, index) => {
    const facts = { isVisible: true, isFocused: title === focused, window: bounds, viewport: bounds, pinchScale: 1 };
    return { targetId: String(index), world: () => Promise.resolve({ call: () => Promise.resolve(facts) }) };
  });
  return {
    tabs: tabs as unknown as ChromiumTab[],
    titles: () => Promise.resolve(new Map(titles.map((title, index) => [String(index), title]))),
  };
}

test.each([
  { tabs: ['Start'], shown: 'New Tab', siblings: ['Start'], focused: 'Start', found: null },
  { tabs: ['Start', 'New Tab'], shown: 'New Tab', siblings: ['Start'], focused: null, found: '1' },
  { tabs: ['Start'], shown: 'Start', siblings: ['Start'], focused: null, found: null },
  { tabs: ['Start', 'Start'], shown: 'Start', siblings: ['Start'], focused: null, found: null },
  { tabs: ['Start'], shown: 'Start', siblings: ['New Tab'], focused: null, found: '0' },
  { tabs: ['Start'], shown: 'Loading', siblings: [], focused: null, found: '0' },
])('tabs $tabs, window $shown beside $siblings: tab $found', async ({ tabs, shown, siblings, focused, found }) => {
  const page = await findVisiblePage(
    browserWith(tabs, focused),
    windowWith(1, shown),
    siblings.map((title, index) => windowWith(index + 2, title)),
    1_000,
    new ManualTimers(),
  );
  expect(page?.tab.targetId ?? null).toBe(found);
});

test('a page that does not answer is no missing page', async () => {
  const { tabs, titles } = browserWith(['Start'], null);
  const hanging = {
    targetId: '0',
    world: () => Promise.resolve({ call: () => Promise.reject(new Error('no answer')) }),
  };
  const found = findVisiblePage(
    { tabs: [hanging as unknown as ChromiumTab, ...tabs.slice(1)], titles },
    windowWith(1, 'Start'),
    [],
    1_000,
    new ManualTimers(),
  );
  await expect(found).rejects.toThrow('The page of the window does not answer');
});
