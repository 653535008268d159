import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import type { DesktopActionContext } from '../action-context.ts';
import { desktopActionHandlers } from '../desktop.actions.ts';
import { aScreen } from '../testing/slow-screen.fixture.ts';

const DEADLINE_MS = 10_000;
const save = { role: 'button', name: 'Save' };
const cancel = { role: 'button', name: 'Cancel' };

/** Runs an action on a screen. Returns its value, or its error. */
async function run(
  screenOf: ReturnType<typeof aScreen>,
  act: (context: DesktopActionContext) => Promise<{ readonly value?: unknown }>,
) {
  const { screen, session, timers } = screenOf;
  const signal = new AbortController().signal;
  const context = { screen, session, timers, signal, deadline: DEADLINE_MS, guard: () => undefined };
  let endedAtMs = Infinity;
  const ended = act(context as unknown as DesktopActionContext)
    .then(({ value }) => ({ value }))
    .catch((error: unknown) => ({ error: error as Error }))
    .finally(() => (endedAtMs = timers.monotonic()));
  await timers.advance(DEADLINE_MS + 5_000);
  return { ...(await ended), endedAtMs };
}

const { extract, check } = desktopActionHandlers;
const optional = { optional: true } as const;

test('an optional value that is missing is null soon', async () => {
  for (const field of [{ value: optional }, { list: optional }]) {
    const result = await run(aScreen(null), (context) =>
      extract(context, { action: 'extract', target: cancel, ...field }),
    );
    expect(result).toMatchObject({ value: 'value' in field ? null : [] });
    expect(result.endedAtMs).toBeLessThan(4_000);
  }
});

test('an optional value of a slow application is read with the time of the step', async () => {
  for (const field of [{ value: optional }, { list: optional }]) {
    const result = await run(aScreen(null, 0, 4_000), (context) =>
      extract(context, { action: 'extract', target: save, ...field }),
    );
    expect(result).toMatchObject({ value: 'value' in field ? 'Save' : ['Save'] });
  }
});

test.each<[IncompleteReason, RegExp]>([
  ['timeout', /raise the timeout/],
  ['truncated', /more elements than one read returns/],
  ['parser', /screen parser failed/],
])('an optional value is not null while the list is incomplete (%s)', async (reason, message) => {
  for (const field of [{ value: optional }, { list: optional }]) {
    const result = await run(aScreen(reason), (context) =>
      extract(context, { action: 'extract', target: cancel, ...field }),
    );
    expect(result).toMatchObject({ error: { message: expect.stringMatching(message) } });
    if (reason === 'truncated') expect(result.endedAtMs).toBeLessThan(6_000);
  }
});

test('a position among elements that were left out is not used', async () => {
  const result = await run(aScreen('truncated'), (context) =>
    extract(context, { action: 'extract', target: { ...save, nth: 0 }, value: {} }),
  );
  expect(result).toMatchObject({ error: { message: expect.stringMatching(/more elements than one read returns/) } });
  expect(result.endedAtMs).toBeLessThan(6_000);
});

test('a checkbox that left a whole list counts as set, and one that is missing from an incomplete list does not', async () => {
  const bold = { role: 'checkbox', name: 'Bold' };
  const act = (context: DesktopActionContext) => check(context, { action: 'check', target: bold });
  expect(await run(aScreen(null), act)).not.toHaveProperty('error');
  expect(await run(aScreen('timeout'), act)).toMatchObject({
    error: { message: expect.stringMatching(/was clicked, but its new state was not read/) },
  });
});
