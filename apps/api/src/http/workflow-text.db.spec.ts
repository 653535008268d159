import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { MAX_INLINE_CHARS, readWorkflowText, TextThreads } from './workflow-text.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const create = (body: string) =>
  api.call<Problem & { definition: { name: string } }>('POST', '/v1/workflows', {
    body,
    headers: { 'content-type': 'application/yaml' },
  });

/** A valid workflow large enough to be parsed in a thread. */
const large = (name: string, suffix = '') =>
  `name: ${name}\ndescription: ${'x'.repeat(1_500)}\nsteps:\n${'  - { action: wait, seconds: 1 }\n'.repeat(500)}${suffix}`;

test('a large workflow is parsed in a thread, with its text and its problems', async () => {
  expect(large('large').length).toBeGreaterThan(MAX_INLINE_CHARS);
  expect((await create(large('large'))).status).toBe(201);
  const { status, body } = await create(large('wrong', '  - { action: klick }\n'));
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'VALIDATION_FAILED', detail: expect.stringMatching(/^body:504:\d+ "klick"/) });
  expect(body.errors?.[0]?.pointer).toBe('/steps/500/action');
});

test('large workflows share threads, and more than the queue takes are refused', async () => {
  const texts = Array.from({ length: 30 }, (_, index) => large(`many-${index}`));
  const settled = await Promise.allSettled(texts.map((text) => readWorkflowText(text)));
  const names = settled.flatMap((result) =>
    result.status === 'fulfilled' ? [(result.value as { name: string }).name] : [],
  );
  const refused = settled.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as { code: string }] : [],
  );
  expect(names.length).toBeGreaterThanOrEqual(18);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['UNAVAILABLE']));
  expect(names).toEqual([...names].sort((a, b) => Number(a.slice(5)) - Number(b.slice(5))));
});

const fixtureFile = new URL('../testing/text-thread.fixture.ts', import.meta.url);

test.each(['forever', 'memory'])(
  'texts that wait are parsed after two threads were killed: %s',
  async (killer) => {
    const threads = new TextThreads({ file: fixtureFile, parseMs: killer === 'forever' ? 3_000 : 20_000 });
    const killed = [killer, killer].map((text) => threads.parse(text).catch((error: Error) => error));
    const waiting = ['a', 'b', 'c'].map((text) => threads.parse(text));
    expect(await Promise.all(waiting)).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    for (const error of await Promise.all(killed)) expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  },
  60_000,
);

test('a text that never gets a thread can be sent again', async () => {
  const threads = new TextThreads({ file: fixtureFile, waitMs: 100, parseMs: 3_000 });
  const killed = ['forever', 'forever'].map((text) => threads.parse(text).catch((error: Error) => error));
  await expect(threads.parse('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', retry: 'same-request' });
  await Promise.all(killed);
  expect(await threads.parse('a')).toEqual({ value: 'a' });
}, 30_000);

test('a thread that does not start ends no process, and the text can be sent again', async () => {
  const threads = new TextThreads({ file: new URL('file:///missing/thread.js') });
  for (const text of ['a', 'b']) await expect(threads.parse(text)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
}, 30_000);

test('a malicious text is rejected without delaying other requests', async () => {
  const keys = Array.from({ length: 24_000 }, (_, index) => `k${index}: 1\n`).join('');
  let isSettled = false;
  const reading = readWorkflowText(keys).then(
    () => null,
    (error: Error) => error.message,
  );
  void reading.then(() => (isSettled = true));
  let longest = 0;
  for (let last = performance.now(); !isSettled; last = performance.now()) {
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - last);
  }
  expect(await reading).toMatch(/more than 100000 YAML tokens/);
  expect(longest).toBeLessThan(500);
});

test.each([
  ['too large', `name: ${'x'.repeat(420_000)}`, /has 420006 characters, more than 262144/],
  ['merge keys', 'name: a\nx: &x {}\nsteps:\n  - <<: *x\n', /Merge keys/],
  ['a prototype', 'name: a\n__proto__: {}\nsteps: []\n', /The key __proto__ is not allowed/],
])('%s is a problem with a fix', async (_, text, detail) => {
  const { status, body } = await create(text);
  expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(body.errors).toMatchObject([{ pointer: '', detail: expect.stringMatching(detail) }]);
});
