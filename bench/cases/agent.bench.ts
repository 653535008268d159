/**
 * Overhead of the agent without its model: a goal on the demo portal and small tasks through the complete product. The
 * scripted model answers immediately from the prompt. The peer is the compiled goal, which calls no model.
 */
import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { tiers } from '@pilothouse/contract/model/tier-names';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { SEEDS, taskKinds, tasksOf } from '@pilothouse/testing/agent-tasks/task-catalogue';
import { policiesOf, startTasks, stepValues, taskEnds, taskSteps } from '@pilothouse/testing/agent-tasks/task-runner';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import { getEncoding } from 'js-tiktoken';
import { agentDialect } from './agent-dialect.bench.ts';
import { writeFunctionTable } from '../harness/agent-tasks-file.ts';
import { buyer, purchase } from '../harness/scripted-policies.ts';
import { atLeast, atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';
import { until } from '../harness/settle.ts';

/** Tokenizer of a 2024 model. */
const encoding = getEncoding('o200k_base');
const tokens = (text: string) => encoding.encode(text, 'all').length;

/** The thought of each scripted response. */
const THOUGHT = 'The page lists what the goal is about; this is the next thing to do with it.';

/** One model request. */
interface Turn {
  readonly input: number;
  /** Estimate of budgets: a token per four characters. */
  readonly quarter: number;
  readonly output: number;
  /** Milliseconds since the previous response for the same goal; null: the first one. */
  readonly sinceMs: number | null;
}

const msOf = (events: readonly RunEvent[], fits: (id: unknown) => boolean) =>
  events.reduce(
    (sum, { type, data }) => sum + (type === 'step.completed' && fits(data['id']) ? Number(data['durationMs']) : 0),
    0,
  );

const timeOf = (event: RunEvent) => Date.parse(event.at);

/**
 * Overhead of each turn in milliseconds: from one thought to the next, without the model call and without the
 * actions. Includes observing, waiting for a stable page, storing and checking.
 */
function turnOverheads(events: readonly RunEvent[]): number[] {
  const thoughts = events.filter(({ type }) => type === 'agent.turn');
  return thoughts.slice(1).flatMap((thought, index) => {
    const previous = thoughts[index];
    if (!previous || previous.data['id'] !== thought.data['id']) return [];
    const between = events.filter(({ seq }) => seq > previous.seq && seq < thought.seq);
    const excludedMs = between.reduce(
      (sum, { type, data }) =>
        sum + (type === 'agent.action_completed' || type === 'model.called' ? Number(data['durationMs']) : 0),
      0,
    );
    return [timeOf(thought) - timeOf(previous) - excludedMs];
  });
}

type TierUsage = NonNullable<RunView['tiers']>[number];

/** Steps and model calls of each tier. */
function usageByTier(runs: readonly RunView[]): Pick<TierUsage, 'tier' | 'steps' | 'calls'>[] {
  const tierUsages = runs.flatMap((run) => run.tiers ?? []);
  return tiers.map((tier) => {
    const usages = tierUsages.filter((usage) => usage.tier === tier);
    const sum = (key: 'steps' | 'calls') => usages.reduce((total, usage) => total + usage[key], 0);
    return { tier, steps: sum('steps'), calls: sum('calls') };
  });
}

export const agent: Bench = async (options) => {
  if (options.dialect !== undefined) return agentDialect(options.dialect, options);
  const rounds = forSize(options, { smoke: 1, short: 8, full: 20 });
  const seeds = forSize(options, { smoke: 1, short: SEEDS, full: SEEDS });
  const models = await startModels();
  const pages = await startTasks();
  const installation = await BenchInstallation.start({
    ...options,
    slots: seeds,
    api: { PILOTHOUSE_MODEL: 'openai/policy', OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${models.url}/v1` },
  });
  let turns: Turn[] = [];
  /** Time of the last model response, by goal. */
  const lastResponseAtByGoal = new Map<string, number>();
  let policy: (prompt: ParsedPrompt) => ReturnType<ScriptedPolicy> = buyer;
  models.policy = ({ system, text, body }) => {
    const requestedAt = performance.now();
    const goal = /^Goal: (.*)$/m.exec(text)?.[1] ?? '';
    const lastResponseAt = lastResponseAtByGoal.get(goal);
    const calls = policy(new ParsedPrompt(`${system}\n${text.trimEnd()}`));
    const promptTexts = [system, text, JSON.stringify(body['tools'])];
    const responseTexts = [THOUGHT, ...calls.map((call) => JSON.stringify(call))];
    turns.push({
      input: promptTexts.reduce((sum, text) => sum + tokens(text), 0),
      quarter: Math.ceil(promptTexts.join('').length / 4),
      output: responseTexts.reduce((sum, text) => sum + tokens(text), 0),
      sinceMs: lastResponseAt === undefined ? null : requestedAt - lastResponseAt,
    });
    // Tokens are counted first, because counting takes time.
    lastResponseAtByGoal.set(goal, performance.now());
    return { text: THOUGHT, calls };
  };
  const runToEnd = async (path: string, body: object): Promise<{ run: RunView; events: RunEvent[] }> => {
    const { id } = (await installation.client.json(path, { method: 'POST', body })) as RunView;
    const run = await until(
      'the run ended',
      async () => {
        const now = await installation.client.run(id);
        // A question counts as a missed goal.
        if (now.status === 'awaiting_user')
          await installation.client
            .json(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'fail' } })
            .catch(() => {});
        return ['completed', 'failed', 'cancelled'].includes(now.status) ? now : false;
      },
      900_000,
      50,
    );
    if (run.status !== 'completed') throw new Error(`The run is ${run.status}: ${JSON.stringify(run.error)}`);
    return { run, events: await installation.client.events(id) };
  };
  try {
    const site = await installation.site();
    await installation.addWorker(seeds);
    const inputs = { password: DEMO_ACCOUNT.password };
    const definition = purchase(site);

    const goals: number[] = [];
    const replays: number[] = [];
    const portal: Turn[] = [];
    const portalLoop: number[] = [];
    const taskLoop: number[] = [];
    const runs = { portal: [] as RunView[], tasks: [] as RunView[] };
    let replayCalls = 0;
    let compiled = '';
    for (let index = -1; index < rounds; index += 1) {
      turns = [];
      lastResponseAtByGoal.clear();
      const goal = await runToEnd('/v1/runs', { definition, inputs });
      if (index >= 0) {
        portal.push(...turns);
        runs.portal.push(goal.run);
        portalLoop.push(...turnOverheads(goal.events));
        goals.push(msOf(goal.events, () => true));
      } else {
        const body = { name: 'rope' };
        const compilation = (await installation.client.json(`/v1/runs/${goal.run.id}/compile`, {
          method: 'POST',
          body,
        })) as CompileRunResult;
        await installation.client.json('/v1/workflows/rope/publish', { method: 'POST', body: {} });
        compiled = compilation.workflow.name;
      }
      turns = [];
      const compiledRun = await runToEnd(`/v1/workflows/${compiled}/runs`, { inputs });
      replayCalls += turns.length;
      if (index >= 0) replays.push(msOf(compiledRun.events, () => true));
      options.log(`portal ${index + 1}/${rounds}`);
    }

    const widgets: Turn[] = [];
    const failed = new Map<string, number[]>();
    let falseSuccesses = 0;
    for (let seed = 0; seed < seeds; seed += 1) {
      turns = [];
      lastResponseAtByGoal.clear();
      const { tasks, viewport } = tasksOf(seed);
      policy = policiesOf(tasks);
      const { run, events } = await runToEnd('/v1/runs', {
        definition: { name: 'tasks', browser: { viewport }, steps: taskSteps(tasks, pages.url) },
        capture: { screenshots: 'none' },
      });
      widgets.push(...turns);
      runs.tasks.push(run);
      taskLoop.push(...turnOverheads(events));
      const ends = taskEnds(tasks, stepValues(events), pages.effects);
      falseSuccesses += ends.filter((end) => end === 'false success').length;
      const missed = tasks.filter((_, index) => ends[index] !== 'reached');
      for (const { name } of missed) failed.set(name, [...(failed.get(name) ?? []), seed]);
      options.log(`tasks, seed ${seed}: ${missed.length} of ${tasks.length} missed`);
    }
    if (options.size !== 'smoke') await writeFunctionTable(failed);

    const allTurns = [...portal, ...widgets];
    const medianOf = (list: Turn[], key: 'input' | 'output' | 'quarter') => median(list.map((turn) => turn[key]));
    const turnDurations = (list: Turn[]) => seriesOf(list.flatMap(({ sinceMs }) => sinceMs ?? []));
    const tasks = taskKinds.length * seeds;
    const lost = [...failed.values()].flat().length;
    const usage = { portal: usageByTier(runs.portal), tasks: usageByTier(runs.tasks) };
    const callsOf = (list: Turn[], count: number) => round(list.length / count, 1);
    const figures: Figure[] = [
      atLeast(
        `tasks reached, of ${taskKinds.length} kinds × ${seeds} seeds`,
        round((100 * (tasks - lost)) / tasks, 1),
        95,
        '%',
      ),
      atMost('tasks completed without the effect', falseSuccesses, 0, ''),
      atMost('tokens in of a turn, median (o200k_base)', medianOf(allTurns, 'input'), 1500, ''),
      atMost('tokens out of a turn, median', medianOf(allTurns, 'output'), 150, ''),
      plain('tokens in: portal / tasks, median', medianOf(portal, 'input'), `/ ${medianOf(widgets, 'input')}`),
      plain('the same, a token for four characters', medianOf(portal, 'quarter'), `/ ${medianOf(widgets, 'quarter')}`),
      atMost('loop of a turn, without model and actions, portal, p50', seriesOf(portalLoop).p50, 150, 'ms'),
      plain('the same, p95', seriesOf(portalLoop).p95, 'ms'),
      plain('loop of a turn, tasks, p50', seriesOf(taskLoop).p50, 'ms'),
      plain(
        'answer of the model to its next question, portal / tasks, p50',
        turnDurations(portal).p50,
        `/ ${turnDurations(widgets).p50} ms`,
      ),
      plain('calls of the goal on the portal / of a task', callsOf(portal, rounds), `/ ${callsOf(widgets, tasks)}`),
      ...usage.portal.map(({ tier, steps, calls }, index) => {
        const taskUsage = usage.tasks[index];
        const comparison = `(${calls}) / ${taskUsage?.steps} (${taskUsage?.calls})`;
        return plain(`steps of tier ${tier} (and its calls), portal / tasks`, steps, comparison);
      }),
      plain('the goal on the portal (tier 1), p50', median(goals), 'ms'),
      plain('the same compiled (tier 0), p50', median(replays), 'ms'),
      plain('speed-up of the replay', round(median(goals) / median(replays), 1), '×'),
      atMost('calls of the replays', replayCalls, 0, ''),
    ];
    return {
      figures,
      raw: {
        loop: { portal: portalLoop, tasks: seriesOf(taskLoop) },
        goals,
        replays,
        tiers: usage,
        portal,
        failed: [...failed],
      },
    };
  } finally {
    await installation.stop();
    await models.close();
    await pages.close();
  }
};
