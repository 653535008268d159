import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { goalsCommand } from './goals.command.ts';
import { savingsCommand } from './savings.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  api.handlers.readSavings = () => savings;
  api.handlers.listRepeatedGoals = () => ({ items: [goal] });
  api.handlers.dismissRepeatedGoal = () => undefined;
  api.handlers.restoreRepeatedGoal = () => undefined;
});
afterAll(() => api.stop());

const amount = { runs: 4, tokens: 12_000, usd: 0.5, unpricedRuns: 1, seconds: 90 };
const none = { runs: 0, tokens: 0, usd: 0, unpricedRuns: 0, seconds: 0 };
const savings: Savings = {
  from: '2026-04-04T12:00:00.000Z',
  to: '2026-05-04T12:00:00.000Z',
  total: amount,
  mechanisms: [
    { mechanism: 'action_cache', count: 9, ...amount },
    { mechanism: 'compile', count: 2, ...none, usd: null },
    { mechanism: 'heal', count: 1, ...none, tokens: -300, usd: -0.01 },
  ],
  workflows: [{ workflow: 'log-in', ...amount }],
  days: [],
};
const goal: RepeatedGoal = {
  id: 'ab12'.repeat(16),
  goal: 'Log in with {{inputs.password}}',
  site: 'shop.test',
  surface: 'browser',
  count: 3,
  runs: [id(7)],
  lastRunAt: '2026-05-04T12:00:00.000Z',
  perRun: { tokens: 1200.4, usd: null, seconds: 30 },
  perMonth: { runs: 3, tokens: 3601, usd: null },
  best: { run: id(7), workflow: 'log-in', actions: 3 },
  dismissedAt: null,
};

const now = new Date('2026-05-04T12:00:00.000Z');
const run = (command: Parameters<typeof runCli>[0], ...args: string[]) => runCli(command, args, { url: api.url, now });

test('savings have a table by mechanism and by workflow, and unknown prices', async () => {
  const { code, out } = await run(savingsCommand, '--days', '30');
  expect(code).toBe(0);
  expect(out).toMatch(/action cache\s+4\s+12,000\s+\$0\.5000 \+ unknown\s+1 min 30 s/);
  expect(out).toMatch(/compiled workflows\s+0\s+0\s+unknown/);
  expect(out).toMatch(/healed steps\s+0\s+-300\s+-\$0\.0100/);
  expect(out).toMatch(/log-in\s+4\s+12,000/);
  expect(api.of('readSavings')).toMatchObject([
    { query: { from: '2026-04-04T12:00:00.000Z', to: '2026-05-04T12:00:00.000Z' } },
  ]);
});

test('a period without savings says so', async () => {
  api.handlers.readSavings = () => ({ ...savings, total: none });
  expect((await run(savingsCommand)).err).toContain('No savings in the last 30 days.');
});

test('repeated goals have their cost and the run to compile', async () => {
  const { out, err } = await run(goalsCommand, 'repeated', '--min-runs', '5');
  expect(out).toMatch(/ab12ab12ab12\s+Log in with .*shop\.test\s+3\s+1,200\s+unknown\s+3,601 tokens/);
  expect(err).toContain('npx pilothouse runs compile <best run>');
  expect(api.of('listRepeatedGoals')).toMatchObject([{ query: { days: 30, minRuns: 5, dismissed: false } }]);
});

test('a hint is printed when the list of goals may be incomplete', async () => {
  expect((await run(goalsCommand, 'repeated')).err).not.toContain('Only the');
  api.handlers.listRepeatedGoals = () => ({ items: Array.from({ length: 100 }, () => goal) });
  expect((await run(goalsCommand, 'repeated')).err).toContain('Only the 100 goals with the most tokens are listed.');
});

test('a goal is dismissed and restored by the start of its id', async () => {
  expect((await run(goalsCommand, 'dismiss', 'ab12a')).err).toContain('Dismissed: Log in');
  expect((await run(goalsCommand, 'restore', 'ab12a')).err).toContain('Restored: Log in');
  expect([...api.of('dismissRepeatedGoal'), ...api.of('restoreRepeatedGoal')]).toMatchObject([
    { params: { goal: goal.id } },
    { params: { goal: goal.id } },
  ]);
  expect(api.of('listRepeatedGoals')).toHaveLength(2);
  const unknown = await run(goalsCommand, 'dismiss', 'ff');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('No goal matches ff.')]);
});

test('a complete goal id needs no list', async () => {
  const goalId = 'cd34'.repeat(16);
  expect((await run(goalsCommand, 'dismiss', goalId)).err).toContain('Dismissed: cd34cd34cd34');
  expect(api.of('dismissRepeatedGoal')).toMatchObject([{ params: { goal: goalId } }]);
  expect(api.of('listRepeatedGoals')).toEqual([]);
});
