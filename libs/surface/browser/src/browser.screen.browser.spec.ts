import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
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
function shootRefused(times: number, ms = 10_000) {
  const asked = jest.spyOn(kit.page, 'screenshot');
  for (let refused = 0; refused < times; refused += 1) asked.mockRejectedValueOnce(refusal);
  const redactor = new SecretRedactor();
  const covered = jest.spyOn(redactor, 'redactPage');
  const taking = takeScreenshot({ page: kit.page, tab: new TrackedPage(kit.page), redactor, ...testContext(ms) }, {});
  return { taking, asked, covered };
}

test('retries when Chromium cannot capture for a moment, and redacts secrets again', async () => {
  await kit.show('<h1>Hello</h1>');
  const { taking, asked, covered } = shootRefused(2);
  expect(await taking).toMatchObject({ contentType: 'image/jpeg', width: 1000, height: 700 });
  expect([asked, covered].map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
});

test.each([
  ['a few times', 10_000, 5],
  ['no more when there is no time left', 40, 1],
])('one that can take none is asked %s', async (_, ms, times) => {
  const { taking, asked } = shootRefused(9, ms);
  expect((await expectFailure(taking)).message).toContain('Unable to capture screenshot');
  expect(asked).toHaveBeenCalledTimes(times);
});

test('does not retry after a timeout', async () => {
  const asked = jest.spyOn(kit.page, 'screenshot').mockImplementation(() => new Promise(() => undefined));
  const ctx = { page: kit.page, tab: new TrackedPage(kit.page), redactor: new SecretRedactor(), ...testContext(300) };
  expect(await expectFailure(takeScreenshot(ctx, {}))).toMatchObject({ code: 'STEP_TIMED_OUT' });
  expect(asked).toHaveBeenCalledTimes(1);
});
