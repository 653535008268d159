/**
 * The agent tasks through the computer tool of a provider: a scripted policy, a strict server with the wire protocol of the provider, the
 * adapter, the agent and a real Chromium. The peer is the function dialect on the same tasks.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computerToolSchema, type ComputerTool } from '@pilothouse/contract/model/native-turn.schema';
import type { ModelCall, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { imagesOf, restoreImages } from '@pilothouse/core/model/request-images';
import { observationText } from '@pilothouse/core/observation/observation-text';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { Surface, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { BrowserHost } from '@pilothouse/surface-browser';
import { nativeTurn } from '@pilothouse/testing/agent-tasks/native-turns';
import { ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { SEEDS, tasksOf } from '@pilothouse/testing/agent-tasks/task-catalogue';
import { missedTasks, policiesOf, startTasks, taskSteps } from '@pilothouse/testing/agent-tasks/task-runner';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { getEncoding } from 'js-tiktoken';
import { startWorker } from '../../apps/worker/src/testing/test-worker.fixture.ts';
import { buildAssignment, ScriptedGateway } from '../../libs/infra/link/src/testing/index.ts';
import { modelAdapters } from '../../libs/model/src/configured-models.ts';
import type { Provider } from '../../libs/model/src/model-endpoint.ts';
import { atLeast, forSize, plain, type BenchOptions, type BenchResult } from '../harness/bench.ts';
import { median, round } from '../harness/statistics.ts';

/** Dialects of `--dialect`: computer tools, and `calls` for the functions. */
export const agentDialects: readonly string[] = ['calls', ...computerToolSchema.options];

const encoding = getEncoding('o200k_base');
const tokens = (text: string) => encoding.encode(text, 'all').length;

const providers: Readonly<Record<ComputerTool, { provider: Provider; path: string }>> = {
  computer_toolset_20260801: { provider: 'anthropic', path: '' },
  computer_20251124: { provider: 'anthropic', path: '' },
  browser_toolset_20260801: { provider: 'anthropic', path: '' },
  openai_computer: { provider: 'openai', path: '/v1' },
  gemini_computer_use: { provider: 'gemini', path: '' },
};

interface Turn {
  readonly input: number;
  readonly output: number;
  readonly images: number;
}

/** Keeps the last observation of the surfaces of a host: what the screenshot shows. */
function observedHost(host: SurfaceHost, onObservation: (observation: Observation) => void): SurfaceHost {
  const bound = <Target extends object>(target: Target, overrides: object): Target =>
    new Proxy(target, {
      get: (object, name) => {
        if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name) as unknown;
        const value = Reflect.get(object, name) as unknown;
        return typeof value === 'function' ? (value.bind(object) as unknown) : value;
      },
    });
  return bound(host, {
    open: async (...args: Parameters<SurfaceHost['open']>): Promise<Surface> => {
      const surface = await host.open(...args);
      return bound(surface, {
        observe: async (...observeArgs: Parameters<Surface['observe']>) => {
          const observation = await surface.observe(...observeArgs);
          onObservation(observation);
          return observation;
        },
      });
    },
  });
}

/** Longest time of one seed, in milliseconds. */
const MAX_SEED_MS = 900_000;

export async function agentDialect(dialect: string, options: BenchOptions): Promise<BenchResult> {
  const tool = computerToolSchema.safeParse(dialect).data ?? null;
  const seeds = forSize(options, { smoke: 1, short: 1, full: SEEDS });
  const { provider, path } = tool ? providers[tool] : { provider: 'openai' as const, path: '/v1' };
  const [models, pages, gateway] = await Promise.all([startModels(), startTasks(), ScriptedGateway.start()]);
  const root = await mkdtemp(join(tmpdir(), 'pilothouse-bench-dialect-'));
  const browser = new BrowserHost(headlessShellOptions());
  let page: Observation | null = null;
  const host = observedHost(browser, (observation) => (page = observation));
  const workerLog = memoryLog();
  const worker = await startWorker(root, { url: gateway.url, surfaceHost: host, log: workerLog }, 1);
  const model = modelAdapters[provider]({
    endpoint: { apiKey: 'none', baseUrl: models.url + path },
    ...{ model: 'policy', clock: systemClock },
  });
  const turns: Turn[] = [];
  const problems: string[] = [];
  let policy: (prompt: ParsedPrompt) => ModelCall[] = () => [];
  let screen = { width: 1, height: 1 };
  models.policy = ({ system, text, images, body }) => {
    const goal = /^Goal: .*$/m.exec(text)?.[0] ?? '';
    if (!page) return { status: 500, message: 'No page was observed' };
    const seen = `${goal}\n<<<page x\n${observationText(page)}\n>>>page x`;
    const calls = policy(new ParsedPrompt(tool ? seen : `${system}\n${text.trimEnd()}`));
    try {
      const blocks = tool && nativeTurn(tool, calls, page, screen, `t${turns.length}`);
      turns.push({
        input: [system, text, JSON.stringify(body['tools'])].reduce((sum, part) => sum + tokens(part), 0),
        output: tokens(JSON.stringify(blocks ?? calls)),
        images: images.length,
      });
      return blocks ? { blocks } : { text: 'The page lists it.', calls };
    } catch (error) {
      problems.push(`${goal}: ${(error as Error).message}`);
      return { text: '', calls: [{ name: 'fail', args: { text: String(error) } }] };
    }
  };
  const generate = async (request: ModelRequest) => {
    screen = request.computer?.screen ?? screen;
    const computer = request.computer && { ...request.computer, tool: tool ?? ('none' as const) };
    const context = {
      signal: new AbortController().signal,
      deadline: systemClock.monotonic() + 30_000,
      log: memoryLog(),
    };
    return model.generate({ ...request, ...(computer && { computer }) }, context);
  };
  let sentImages: string[] = [];
  gateway.intercept = (message, socket) => {
    if (message.type === 'model.request') {
      const request = restoreImages(message.request, sentImages);
      sentImages = imagesOf(request);
      const send = (reply: object) => socket.send(JSON.stringify({ id: message.id, ...reply }));
      void generate(request).then(
        (answer) => send({ type: 'model.response', answer }),
        (error: Error & { code?: string }) => {
          problems.push(error.message);
          send({
            type: 'rejected',
            error: { code: error.code ?? 'MODEL_REFUSED', message: error.message, retry: 'no' },
          });
        },
      );
      return true;
    }
    // No person answers: a question fails the task.
    if (message.type === 'append' && message.question) {
      const { run, epoch, question } = message;
      const { step, questionNumber } = question;
      const asked = questionNumber === undefined ? {} : { questionNumber };
      const answer = { step, ...asked, answeredBy: 'system', choice: 'fail' as const };
      setImmediate(() => gateway.broadcast({ type: 'question.answered', run, epoch, answer }));
    }
    return false;
  };
  try {
    await until('the worker is ready', () => gateway.all('ready').length > 0, 120_000);
    const failed: string[] = [];
    let count = 0;
    for (let seed = 0; seed < seeds; seed += 1) {
      const { tasks: seedTasks, viewport } = tasksOf(seed);
      const tasks = seedTasks.filter(({ name }) => !options.tasks || options.tasks.includes(name));
      policy = policiesOf(tasks);
      sentImages = [];
      const run = buildAssignment(
        { browser: { viewport }, steps: taskSteps(tasks, pages.url) },
        { isAlwaysVision: tool !== null },
      );
      gateway.assign(run);
      await until('the run ended', () => gateway.log.outcome(run) ?? false, MAX_SEED_MS);
      const events = gateway.log.of(run);
      const acted = new Set(events.flatMap(({ type, data }) => (type === 'step.completed' ? [data['id']] : [])));
      const missed = missedTasks(tasks, acted).map(({ name }) => name);
      for (const { type, data, message } of events)
        if (type === 'step.failed') options.log(`${String(data['id'])}: ${message}`);
      failed.push(...missed.map((name) => `${name} (seed ${seed})`));
      count += tasks.length;
      options.log(`${dialect}, seed ${seed}: ${missed.length} of ${tasks.length} missed: ${missed.join(', ')}`);
    }
    for (const problem of problems) options.log(problem);
    const medianOf = (key: keyof Turn) => round(median(turns.map((turn) => turn[key])), 1);
    return {
      figures: [
        atLeast(`${dialect}: tasks reached, of ${count}`, round((100 * (count - failed.length)) / count, 1), 100, '%'),
        plain('turns of a task', round(turns.length / count, 2), ''),
        plain('text tokens in of a turn, median (o200k_base)', medianOf('input'), ''),
        plain('tokens out of a turn, median', medianOf('output'), ''),
        plain('images of a turn, median', medianOf('images'), ''),
      ],
      raw: { dialect, failed, problems, turns },
    };
  } catch (error) {
    for (const line of workerLog.lines.slice(-20)) options.log(JSON.stringify(line).slice(0, 500));
    throw error;
  } finally {
    worker.abort('the bench is over');
    await worker.completion.catch(() => undefined);
    await browser.close();
    await gateway.close();
    await models.close();
    await pages.close();
    await rm(root, { recursive: true, force: true });
  }
}
