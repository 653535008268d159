import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelCall, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { computerToolSchema, type ComputerTool } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { imagesOf, restoreImages } from '@pilothouse/core/model/request-images';
import { observationText } from '@pilothouse/core/observation/observation-text';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { BrowserHost } from '@pilothouse/surface-browser';
import { nativeTurn } from '@pilothouse/testing/agent-tasks/native-turns';
import { ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { tasksOf, type Task } from '@pilothouse/testing/agent-tasks/task-catalogue';
import {
  policiesOf,
  startTasks,
  stepValues,
  taskEnds,
  taskSteps,
  type TaskEnd,
} from '@pilothouse/testing/agent-tasks/task-runner';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import type { ModelServerRequest, Reply } from '@pilothouse/testing/model-server/wire-protocol';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { getEncoding } from 'js-tiktoken';
import { startWorker } from '../../apps/worker/src/testing/test-worker.fixture.ts';
import { buildAssignment, ScriptedGateway } from '../../libs/infra/link/src/testing/index.ts';
import { modelAdapters } from '../../libs/model/src/configured-models.ts';
import type { Provider } from '../../libs/model/src/model-endpoint.ts';
import type { BenchOptions } from './bench.ts';
import { observedHost } from './observed-host.ts';

/* The agent tasks through one dialect: a policy, a strict server, the adapter, the agent and a real Chromium. */

const encoding = getEncoding('o200k_base');
const tokens = (text: string) => encoding.encode(text, 'all').length;

const providers: Readonly<Record<ComputerTool, { provider: Provider; path: string }>> = {
  computer_toolset_20260801: { provider: 'anthropic', path: '' },
  computer_20251124: { provider: 'anthropic', path: '' },
  browser_toolset_20260801: { provider: 'anthropic', path: '' },
  openai_computer: { provider: 'openai', path: '/v1' },
  gemini_computer_use: { provider: 'gemini', path: '' },
};

/** One turn of the acting model. */
interface DialectTurn {
  readonly input: number;
  readonly output: number;
  readonly images: number;
}

/** A task that was run. */
interface DialectTask {
  readonly name: string;
  readonly seed: number;
  readonly end: TaskEnd;
  /** Functions beside the tool, without those that end a goal. */
  readonly functions: readonly string[];
}

export interface DialectResult {
  readonly dialect: string;
  readonly tasks: readonly DialectTask[];
  readonly turns: readonly DialectTurn[];
  /** Calls that judge a turn, a goal or the target of a click, or plan again. */
  readonly supervisions: number;
  /** Errors of the adapter and of the policy. */
  readonly problems: readonly string[];
}

/** Longest time of one seed, in milliseconds. */
const MAX_SEED_MS = 900_000;

/** Names that are no functions beside the tool: `computer` is the tool itself. */
const OTHER_NAMES: ReadonlySet<string> = new Set(['done', 'fail', 'computer']);

/** Names of functions that a turn calls in addition to the tool. */
const functionsOf = (blocks: readonly object[], offered: readonly string[]): string[] =>
  (blocks as { readonly name?: string; readonly functionCall?: { readonly name: string } }[]).flatMap((block) => {
    const name = block.functionCall?.name ?? block.name ?? '';
    return offered.includes(name) && !OTHER_NAMES.has(name) ? [name] : [];
  });

/**
 * Answers a request that is no turn of the agent. A goal is judged by the report of its page, a turn by its screenshots.
 * @param task undefined: the request names no task
 */
function supervise(
  { prompt: { name } }: ModelRequest,
  { text, images }: ModelServerRequest,
  task: Task | undefined,
  effects: ReadonlyMap<string, string>,
): Reply {
  if (name.startsWith('replan'))
    return { text: JSON.stringify({ decision: 'retry', why: 'By chance', plan: '', seconds: 1 }) };
  if (name.startsWith('identify')) return { text: JSON.stringify({ what: 'a control of the task', kind: 'none' }) };
  const hasChanged = images.length > 1 && !images[0]?.equals(images[1] ?? Buffer.alloc(0));
  const isMet =
    task?.answer === undefined
      ? task !== undefined && effects.get(task.path) === task.successText
      : text.includes(`with the answer ${JSON.stringify(task.answer)}`);
  const isSuccess = name.startsWith('verify-turn') ? hasChanged : isMet;
  return { text: JSON.stringify({ verdict: isSuccess ? 'success' : 'failed', why: 'As the page reported' }) };
}

/** Runs the tasks with each seed, one after the other. @param dialect a computer tool, or `calls` */
export async function runDialect(dialect: string, seeds: number, options: BenchOptions): Promise<DialectResult> {
  const tool = computerToolSchema.safeParse(dialect).data ?? null;
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
  const turns: DialectTurn[] = [];
  const problems: string[] = [];
  const functions = new Map<string, Set<string>>();
  let supervisions = 0;
  let tasks: Task[] = [];
  let policy: (prompt: ParsedPrompt) => ModelCall[] = () => [];
  let current: ModelRequest | null = null;
  models.policy = (received) => {
    const { system, text, images, body } = received;
    const goal = /^Goal: (.*)$/m.exec(text)?.[1] ?? '';
    if (!page || !current) return { status: 500, message: 'No page was observed' };
    if (/^(?:verify|replan|identify)/.test(current.prompt.name)) {
      supervisions += 1;
      const task = tasks.find((candidate) => candidate.goal === goal);
      return supervise(current, received, task, pages.effects);
    }
    try {
      const seen = `Goal: ${goal}\n<<<page x\n${observationText(page)}\n>>>page x`;
      const calls = policy(new ParsedPrompt(tool ? seen : `${system}\n${text.trimEnd()}`));
      const screen = current.computer?.screen ?? { width: 1, height: 1 };
      const blocks = tool && nativeTurn(tool, calls, page, { screen, functions: received.tools }, `t${turns.length}`);
      turns.push({
        input: [system, text, JSON.stringify(body['tools'])].reduce((sum, part) => sum + tokens(part), 0),
        output: tokens(JSON.stringify(blocks ?? calls)),
        images: images.length,
      });
      const used = functions.get(goal) ?? [];
      functions.set(goal, new Set([...used, ...functionsOf(blocks ?? [], received.tools)]));
      return blocks ? { blocks } : { text: 'The page lists it.', calls };
    } catch (error) {
      problems.push(`${goal}: ${(error as Error).message}`);
      return { text: '', calls: [{ name: 'fail', args: { text: String(error) } }] };
    }
  };
  const generate = async (request: ModelRequest) => {
    current = request;
    const computer = request.computer && { ...request.computer, tool: tool ?? ('none' as const) };
    const context = {
      signal: new AbortController().signal,
      deadline: systemClock.monotonic() + 30_000,
      log: memoryLog(),
    };
    return model.generate({ ...request, ...(computer && { computer }) }, context);
  };
  /** Images of the last request on each connection. */
  const sentImages = new Map<object, string[]>();
  gateway.intercept = (message, socket) => {
    if (message.type === 'model.request') {
      const request = restoreImages(message.request, sentImages.get(socket) ?? []);
      sentImages.set(socket, imagesOf(request));
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
  const results: DialectTask[] = [];
  try {
    await until('the worker is ready', () => gateway.all('ready').length > 0, 120_000);
    for (let seed = 0; seed < seeds; seed += 1) {
      const { tasks: seedTasks, viewport } = tasksOf(seed);
      tasks = seedTasks.filter(({ name }) => !options.tasks || options.tasks.includes(name));
      policy = policiesOf(tasks);
      sentImages.clear();
      const run = buildAssignment(
        { browser: { viewport }, steps: taskSteps(tasks, pages.url) },
        { isAlwaysVision: tool !== null },
      );
      gateway.assign(run);
      await until('the run ended', () => gateway.log.outcome(run) ?? false, MAX_SEED_MS);
      const events = gateway.log.of(run);
      for (const { type, data, message } of events)
        if (type === 'step.failed') options.log(`${String(data['id'])}: ${message}`);
      const ends = taskEnds(tasks, stepValues(events), pages.effects);
      const ended = tasks.map(({ name, goal }, index): DialectTask => {
        return { name, seed, end: ends[index] ?? 'missed', functions: [...(functions.get(goal) ?? [])] };
      });
      results.push(...ended);
      const failed = ended.filter(({ end }) => end !== 'reached').map(({ name, end }) => `${name} (${end})`);
      options.log(`${dialect}, seed ${seed}: ${failed.length} of ${tasks.length} failed: ${failed.join(', ')}`);
    }
    for (const problem of problems) options.log(problem);
    return { dialect, tasks: results, turns, supervisions, problems };
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
