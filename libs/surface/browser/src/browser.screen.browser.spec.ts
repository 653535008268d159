import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { takeScreenshot } from './browser.screen.ts';
import { TrackedPage } from './pages/tracked-page.ts';
import { SecretRedactor } from './pages/secret-redaction.ts';
import { type ElementKit, expectFailure, startElementKit, testContext } from './testing/browser-test-kit.ts';

/* As a Chromium says it that has just started on a busy machine; it cannot be brought to say it at will. */
const refusal = new Error('page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot');

let kit: ElementKit;
beforeAll(async () => void (kit = await startElementKit()));
afterEach(() => void jest.restoreAllMocks());
afterAll(() => kit.close());

/** Takes an image of a page that refuses it so often. */
function shootRefused(times: number, ms = 10_000) {
  const asked = jest.spyOn(kit.page, 'screenshot');
  for (let refused = 0; refused < times; refused += 1) asked.mockRejectedValueOnce(refusal);
  const veil = new SecretRedactor();
  const covered = jest.spyOn(veil, 'draw');
  const taking = takeScreenshot({ page: kit.page, tab: new TrackedPage(kit.page), veil, ...testContext(ms) }, {});
  return { taking, asked, covered };
}

test('a Chromium that can take no image for a moment is asked again, and secrets are covered anew', async () => {
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

test('one that does not answer in time is not asked again', async () => {
  const asked = jest.spyOn(kit.page, 'screenshot').mockImplementation(() => new Promise(() => undefined));
  const hand = { page: kit.page, tab: new TrackedPage(kit.page), veil: new SecretRedactor(), ...testContext(300) };
  expect(await expectFailure(takeScreenshot(hand, {}))).toMatchObject({ code: 'STEP_TIMED_OUT' });
  expect(asked).toHaveBeenCalledTimes(1);
});
