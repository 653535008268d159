import type { RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli, type ProcessOptions } from '../testing/cli.fixture.ts';
import { aRun, id } from '../testing/views.fixture.ts';
import { elementsCommand } from './elements.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(() => api.stop());

const LIST = 'Orders https://harbour.example/orders\n[0] button "Pay"\n    { role: button, name: Pay }';

const ends = (run: Partial<RunView>) => (api.handlers.readRun = () => aRun(run));
const observe = (args: string[], around: Partial<ProcessOptions> = {}) =>
  runCli(elementsCommand, ['list', ...args], { url: api.url, ...around });
const submitted = () => api.of('createRun')[0]?.body as SubmitRun;

beforeEach(() => {
  api.requests.splice(0);
  api.handlers.createRun = () => aRun();
  ends({ status: 'completed', output: LIST });
});

test('--profile observes the page by a run that begins with the profile', async () => {
  const { code, out, err } = await observe(['harbour.example/orders', '--profile', 'harbour', '--timeout', '45']);
  expect({ code, out, err }).toEqual({ code: 0, out: `${LIST}\n`, err: '' });
  expect(submitted()).toMatchObject({
    definition: {
      browser: { profile: { name: 'harbour', required: true } },
      steps: [
        { action: 'navigate', url: 'https://harbour.example/orders', timeout: 45 },
        { action: 'observe', level: 'view', locators: true, timeout: 45 },
      ],
    },
    expiresIn: 300,
  });
});

test.each([
  ['--interactive', 'interactive'],
  ['--full-page', 'page'],
])('%s observes the level %s', async (option, level) => {
  await observe(['harbour.example', '--profile', 'harbour', option]);
  expect(submitted().definition?.steps[1]).toMatchObject({ level });
});

test('--json has the run and the list', async () => {
  const { out } = await observe(['harbour.example', '--profile', 'harbour', '--json']);
  expect(JSON.parse(out)).toEqual({ run: id(1), text: LIST });
});

test('an unknown profile: exit 1, and the next step', async () => {
  const message = 'The project has no profile "harbour": import one with `pilothouse profiles import harbour FILE`';
  ends({ status: 'failed', error: { code: 'PROFILE_NOT_FOUND', message, retry: 'no' } });
  const { code, out, err } = await observe(['harbour.example', '--profile', 'harbour']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err.split('\n')).toEqual([
    `error  ${message}`,
    '  PROFILE_NOT_FOUND',
    '  List profiles: npx pilothouse profiles list',
    `  Full log: npx pilothouse logs ${id(1).slice(0, 13)}`,
    '',
  ]);
});

test('a page that times out: exit 1, and the timeout option', async () => {
  ends({ status: 'failed', error: { code: 'STEP_TIMED_OUT', message: 'Not done within 30 s', retry: 'no' } });
  const { code, err } = await observe(['harbour.example', '--profile', 'harbour']);
  expect(code).toBe(1);
  expect(err).toBe('error  Not done within 30 s\n  STEP_TIMED_OUT\n  Increase the time limit with --timeout\n');
});

test('Ctrl-C cancels the run: exit 3', async () => {
  let press: () => void = () => undefined;
  api.handlers.readRun = () => {
    press();
    return aRun({ status: 'running' });
  };
  api.handlers.cancelRun = () => aRun({ status: 'running' });
  const { code, err } = await observe(['harbour.example', '--profile', 'harbour'], {
    onListen: (then) => void (press = then),
  });
  expect(code).toBe(3);
  expect(err).toBe(`error  Run ${id(1).slice(0, 13)} was cancelled.\n`);
  expect(api.of('cancelRun').map(({ params }) => params.run)).toEqual([id(1)]);
});

test.each([
  ['a name that no profile has', ['harbour.example', '--profile', 'Harbour!'], 'Invalid profile name "Harbour!".'],
  ['an API without a profile', ['harbour.example', '--api-url', 'http://127.0.0.1:9'], 'require --profile'],
])('%s: exit 2, and no run', async (_flag, args, message) => {
  const { code, err } = await observe(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(api.of('createRun')).toEqual([]);
});
