/**
 * A model of any OpenAI-compatible server at three goals on the demo site, through the complete product. The peer is the same model in a
 * plain loop. Success is judged by the page and by the ledger of the site, not by the status of a run. Not a part of CI.
 */
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Browser, Page } from 'playwright-core';
import { ledger, account } from '../harness/bench-demo-site.ts';
import { atMost, forSize, plain, type Bench, type BenchOptions, type Figure } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { launchChromium, VIEWPORT } from '../harness/launch-chromium.ts';
import { until } from '../harness/settle.ts';
import { round } from '../harness/statistics.ts';
import { plainLoop } from '../peers/plain-loop.ts';

/** Maximum seconds of a model call. */
const CALL_SECONDS = 600;
const TRY_MINUTES = 15;

interface Goal {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** Element whose state decides, and how it is read. Missing: the ledger has a login. */
  readonly state?: { readonly css: string; readonly attribute?: 'value'; readonly expected: string };
}

const goals: readonly Goal[] = [
  {
    name: 'count',
    path: '/public/widgets',
    text: 'Press the button "Count" three times.',
    state: { css: '#w-counted', expected: '3' },
  },
  {
    name: 'field',
    path: '/public/widgets',
    text: 'Write "Aurora" into the field "Vessel name".',
    state: { css: '#w-text', attribute: 'value', expected: 'Aurora' },
  },
  {
    name: 'login',
    path: '/login',
    text: `Log in with the e-mail "${account.email}" and the password "${account.password}".`,
  },
];

/** One try of a goal. */
interface Try {
  readonly goal: string;
  /** The run or the loop reported success. */
  readonly isClaimed: boolean;
  /** The site shows it. */
  readonly isTrue: boolean;
  readonly turns: number;
  readonly invalid: number;
  readonly tokens: number;
  readonly seconds: number;
  /** Status of the run, or an error. */
  readonly end: string;
  /** Actions of each turn, or the text of an answer without any. */
  readonly answers?: readonly string[];
}

/** True if the site accepted a login after an entry of its ledger. */
async function hasLogin(site: string, since: number): Promise<boolean> {
  const { entries } = await ledger(site, since);
  return entries.some(({ kind, detail }) => kind === 'login' && detail['ok'] === true);
}

/** A try through the product. A question to a person is an honest failure. */
async function tryRun(installation: BenchInstallation, site: string, goal: Goal, minutes: number): Promise<Try> {
  const { last } = await ledger(site, 0);
  const startedAt = performance.now();
  const read = goal.state && {
    action: 'extract',
    target: { css: goal.state.css },
    value: { ...(goal.state.attribute && { attribute: goal.state.attribute }) },
    id: 'state',
  };
  const definition = {
    name: `local-model-${goal.name}`,
    steps: [
      { action: 'navigate', url: `${site}${goal.path}` },
      { id: 'goal', action: 'goal', goal: goal.text, timeout: minutes * 60 },
      ...(read ? [read] : []),
    ],
    ...(read && { output: '{{steps.state.value}}' }),
  };
  const { id } = await installation.client.submit({ definition, capture: { screenshots: 'none' } });
  const run = await until(
    'the run ended',
    async () => {
      const view = await installation.client.run(id);
      if (view.status === 'awaiting_user')
        await installation.client.json(`/v1/runs/${id}/cancel`, { method: 'POST', body: {} }).catch(() => undefined);
      return isTerminal(view.status) ? view : false;
    },
    (minutes + 5) * 60_000,
    250,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const events = await installation.client.events(id);
  const isTrue = goal.state ? isExpected(goal.state.expected, run.output) : await hasLogin(site, last);
  return {
    goal: goal.name,
    isClaimed: isReached(events),
    isTrue,
    ...countsOf(events),
    seconds,
    end: `${run.status}${errorOf(run)}`,
    answers: events.filter(({ type }) => type === 'agent.turn').map(answerOf),
  };
}

/** Maximum characters of an answer in the results. */
const MAX_ANSWER_CHARS = 200;

function answerOf({ data, message }: RunEvent): string {
  const actions = (data['plannedActions'] as readonly string[]).join('; ');
  return (actions || `${message}: ${String(data['thought'])}`).slice(0, MAX_ANSWER_CHARS);
}

const isExpected = (expected: string, state: unknown) => String(state ?? '').trim() === expected;

const errorOf = ({ error }: RunView) => (error ? ` ${error.code}: ${error.message.slice(0, 200)}` : '');

/** True if the goal step completed. */
const isReached = (events: readonly RunEvent[]) =>
  events.some(({ type, data }) => type === 'step.completed' && data['id'] === 'goal');

function countsOf(events: readonly RunEvent[]): Pick<Try, 'turns' | 'invalid' | 'tokens'> {
  const turns = events.filter(({ type }) => type === 'agent.turn');
  const calls = events.filter(({ type }) => type === 'model.called');
  const empty = turns.filter(({ data }) => (data['plannedActions'] as readonly string[]).length === 0);
  const unusable = calls.filter(({ data }) => data['finish'] === 'invalid');
  return {
    turns: turns.length,
    invalid: empty.length + unusable.length,
    tokens: calls.reduce((sum, { data }) => sum + Number(data['inputTokens']) + Number(data['outputTokens']), 0),
  };
}

/** A try of the plain loop. */
async function tryLoop(browser: Browser, site: string, goal: Goal, minutes: number, model: LocalModel): Promise<Try> {
  const { last } = await ledger(site, 0);
  const startedAt = performance.now();
  const page = await browser.newPage({ viewport: VIEWPORT });
  try {
    await page.goto(`${site}${goal.path}`);
    const result = await plainLoop(page, {
      ...model,
      goal: goal.text,
      signal: AbortSignal.timeout(minutes * 60_000),
    }).catch((error: Error) => ({ isClaimed: false, turns: 0, invalid: 0, tokens: 0, error: error.message }));
    const isTrue = goal.state
      ? isExpected(goal.state.expected, await stateOf(page, goal.state))
      : await hasLogin(site, last);
    const { isClaimed, turns, invalid, tokens } = result;
    const end = 'error' in result ? result.error : isClaimed ? 'claimed' : 'gave up';
    return {
      goal: goal.name,
      isClaimed,
      isTrue,
      turns,
      invalid,
      tokens,
      seconds: (performance.now() - startedAt) / 1000,
      end,
    };
  } finally {
    await page.close();
  }
}

const stateOf = (page: Page, { css, attribute }: NonNullable<Goal['state']>) =>
  attribute ? page.locator(css).inputValue() : page.locator(css).textContent();

interface LocalModel {
  readonly url: string;
  readonly model: string;
  readonly key: string;
}

/** Figures of the product, each beside that of the loop. */
function figuresOf(runs: readonly Try[], loops: readonly Try[]): Figure[] {
  const count = (tries: readonly Try[], fits: (each: Try) => boolean) => tries.filter(fits).length;
  const sum = (tries: readonly Try[], key: 'invalid' | 'tokens' | 'seconds' | 'turns') =>
    tries.reduce((total, each) => total + each[key], 0);
  const perTry = (tries: readonly Try[], key: 'tokens' | 'seconds') =>
    round(sum(tries, key) / Math.max(1, tries.length), 1);
  const isSuccess = ({ isClaimed, isTrue }: Try) => isClaimed && isTrue;
  const isFalse = ({ isClaimed, isTrue }: Try) => isClaimed && !isTrue;
  const isHonest = ({ isClaimed }: Try) => !isClaimed;
  return [
    plain(
      `goals reached, of ${runs.length} / loop, of ${loops.length}`,
      count(runs, isSuccess),
      `/ ${count(loops, isSuccess)}`,
    ),
    plain('honest failures / loop', count(runs, isHonest), `/ ${count(loops, isHonest)}`),
    atMost(`false successes (loop: ${count(loops, isFalse)})`, count(runs, isFalse), 0, ''),
    plain(
      'invalid answers of turns / loop',
      sum(runs, 'invalid'),
      `of ${sum(runs, 'turns')} / ${sum(loops, 'invalid')} of ${sum(loops, 'turns')}`,
    ),
    plain('tokens of a try / loop', perTry(runs, 'tokens'), `/ ${perTry(loops, 'tokens')}`),
    plain('seconds of a try / loop', perTry(runs, 'seconds'), `/ ${perTry(loops, 'seconds')}`),
  ];
}

/** @throws Error if the server does not list its models */
async function assertReachable({ url, key }: LocalModel): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const status = await fetch(`${url}/models`, { headers, signal: AbortSignal.timeout(10_000) }).then(
    (response) => `HTTP ${response.status}`,
    (error: Error) => error.message,
  );
  if (status !== 'HTTP 200')
    throw new Error(`${url}/models answered ${status}: start the server first, and end --url with /v1`);
}

/** Settings of the API for the model. */
function apiSettings({ url, model, key }: LocalModel, profile: BenchOptions['profile']): Record<string, string> {
  const entry = { price: { input: 0, output: 0 }, acceptsImages: false, ...(profile && { profile }) };
  return {
    PILOTHOUSE_MODEL: `local/${model}`,
    PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({
      local: { protocol: 'openai', baseUrl: url, timeoutSeconds: CALL_SECONDS },
    }),
    LOCAL_API_KEY: key,
    PILOTHOUSE_MODEL_OVERRIDES: JSON.stringify({ [`local/${model}`]: entry }),
  };
}

export const localModel: Bench = async (options) => {
  const { url, model: name, key = 'none', profile, minutes = TRY_MINUTES } = options;
  if (!url || !name) throw new Error('local-model needs --url, e.g. http://127.0.0.1:8080/v1, and --model');
  const model = { url, model: name, key };
  const repeat = options.times ?? forSize(options, { smoke: 1, short: 5, full: 5 });
  await assertReachable(model);
  const installation = await BenchInstallation.start({ ...options, slots: 1, api: apiSettings(model, profile) });
  const browser = await launchChromium();
  try {
    const site = await installation.site();
    await installation.addWorker(1);
    const runs: Try[] = [];
    const loops: Try[] = [];
    const report = (who: string, result: Try) => options.log(`${who}: ${JSON.stringify(result)}`);
    for (let round = 0; round < repeat; round += 1) {
      // Not alternating by goal: a server with one slot keeps the beginning of one prompt only.
      for (const goal of goals) {
        const run = await tryRun(installation, site, goal, minutes);
        runs.push(run);
        report('product', run);
      }
      for (const goal of goals) {
        const loop = await tryLoop(browser, site, goal, minutes, model);
        loops.push(loop);
        report('loop', loop);
      }
    }
    return {
      figures: figuresOf(runs, loops),
      raw: { url, model: name, profile: profile ?? 'by context', runs, loops },
    };
  } finally {
    await browser.close();
    await installation.stop();
  }
};
