import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { MAX_INLINE_CHARS, readWorkflowText } from './workflow-text.ts';

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
