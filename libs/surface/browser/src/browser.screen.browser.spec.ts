import { takeScreenshot } from './browser.screen.ts';
import { TrackedPage } from './pages/tracked-page.ts';
import { SecretRedactor } from './pages/secret-redaction.ts';
import { type ElementKit, expectFailure, startElementKit, testContext } from './testing/browser-test-kit.ts';

// Error of a Chromium that has just started on a busy machine. It cannot be provoked.
const refusal = new Error('page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot');

let kit: ElementKit;
beforeAll(async () => void (kit = await startElementKit()));
afterEach(() => void jest.restoreAllMocks());
afterAll(() => kit.close());

/** Takes a screenshot of a page that fails a number of times. */
function takeFailingScreenshot(times: number, ms = 10_000) {
  const screenshot = jest.spyOn(kit.page, 'screenshot');
  for (let count = 0; count < times; count += 1) screenshot.mockRejectedValueOnce(refusal);
  const redactor = new SecretRedactor();
  const redactPage = jest.spyOn(redactor, 'redactPage');
  const taking = takeScreenshot({ page: kit.page, tab: new TrackedPage(kit.page), redactor, ...testContext(ms) }, {});
  return { taking, screenshot, redactPage };
}

test('retries when Chromium cannot capture for a moment, and redacts secrets again', async () => {
  await kit.showPage('<h1>Hello</h1>');
  const { taking, screenshot, redactPage } = takeFailingScreenshot(2);
  expect(await taking).toMatchObject({ contentType: 'image/jpeg', width: 1000, height: 700 });
  expect([screenshot, redactPage].map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
});

test.each([
  ['a few times', 10_000, 5],
  ['only while there is time', 40, 1],
])('repeats a failing screenshot %s', async (_, ms, times) => {
  const { taking, screenshot } = takeFailingScreenshot(9, ms);
  expect((await expectFailure(taking)).message).toContain('Unable to capture screenshot');
  expect(screenshot).toHaveBeenCalledTimes(times);
});

test('does not retry after a timeout', async () => {
  const screenshot = jest.spyOn(kit.page, 'screenshot').mockImplementation(() => new Promise(() => undefined));
  const ctx = { page: kit.page, tab: new TrackedPage(kit.page), redactor: new SecretRedactor(), ...testContext(300) };
  expect(await expectFailure(takeScreenshot(ctx, {}))).toMatchObject({ code: 'STEP_TIMED_OUT' });
  expect(screenshot).toHaveBeenCalledTimes(1);
});
