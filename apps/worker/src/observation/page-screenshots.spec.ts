import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { PreActionScreenshot } from './page-screenshots.ts';

const page: Observation = {
  url: 'https://shop.test/',
  title: 'Shop',
  document: 1,
  loading: false,
  viewport: { width: 1000, height: 800 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements: [],
  opaqueRegions: [],
};

test('captures the page before the first action once, and again if the page changed', async () => {
  const [log, signal] = [memoryLog(), new AbortController().signal];
  const context = { signal, deadline: systemClock.monotonic() + 10_000, log };
  const surface: Surface = await new NullSurfaceHost().open({ folder: '/tmp' }, context);
  let currentPage = page;
  const capturedUrls: string[] = [];
  const shoot = surface.screenshot.bind(surface);
  surface.observe = async () => currentPage;
  surface.screenshot = async (options, context) => {
    capturedUrls.push(currentPage.url);
    return shoot(options, context);
  };
  const screenshot = new PreActionScreenshot({
    surface,
    signal: signal,
    clock: systemClock,
    timers: systemTimers,
    log,
    masker: { text: (text) => text },
  });
  screenshot.start(page);
  screenshot.start({ ...page });
  await screenshot.finish(page);
  expect(capturedUrls).toEqual(['https://shop.test/']);
  currentPage = { ...page, url: 'https://shop.test/cart', document: 2 };
  await screenshot.finish(currentPage);
  expect(capturedUrls).toEqual(['https://shop.test/', 'https://shop.test/cart']);
});
