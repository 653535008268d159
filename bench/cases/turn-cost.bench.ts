/**
 * Cost of recorded turns: bytes of the artifacts, and milliseconds of a turn with `all`. The peer is the same goal with `off`, alternating.
 * The scripted model answers after a delay, as a fast model does.
 */
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { cpuWithEnded, treeOf } from '../harness/process-memory.ts';
import { buyer, purchase } from '../harness/scripted-policies.ts';
import { median, round } from '../harness/statistics.ts';
import { rest } from '../harness/settle.ts';

/** Milliseconds until the model answers. */
const ANSWER_MS = 400;
const modes = ['off', 'all'] as const;
type Mode = (typeof modes)[number];

interface Measured {
  readonly mode: Mode;
  readonly turns: number;
  /** Milliseconds of the goal per turn. */
  readonly turnMs: number;
  /** Milliseconds from the end of the goal to the end of the run, for uploads. */
  readonly endMs: number;
  /** CPU milliseconds of worker and browser per turn. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly files: number;
}

const timeOf = (events: readonly RunEvent[], type: string) =>
  Date.parse(events.findLast((event) => event.type === type)?.at ?? '');

export const turnCost: Bench = async (options) => {
  const models = await startModels();
  models.policy = async ({ system, text }) => {
    await rest(ANSWER_MS);
    return { text: 'The page lists it.', calls: buyer(new ParsedPrompt(`${system}\n${text.trimEnd()}`)) };
  };
  const installation = await BenchInstallation.start({
    ...options,
    slots: 1,
    api: {
      PILOTHOUSE_MODEL: 'gemini/policy',
      GEMINI_API_KEY: 'key',
      GEMINI_BASE_URL: models.url,
    },
  });
  try {
    const site = await installation.site();
    const worker = await installation.addWorker(1);
    const definition = { ...purchase(site), actionCache: 'never' };
    const measure = async (mode: Mode): Promise<Measured> => {
      const cpuBefore = cpuWithEnded(treeOf([worker.pid]));
      const { id } = (await installation.client.json('/v1/runs', {
        method: 'POST',
        body: {
          definition,
          inputs: { password: DEMO_ACCOUNT.password },
          capture: { screenshots: 'none', turns: mode },
        },
      })) as RunView;
      await installation.client.waitForEnd(id);
      const cpuMs = cpuWithEnded(treeOf([worker.pid])) - cpuBefore;
      const events = await installation.client.events(id);
      const turns = events.filter(({ type }) => type === 'agent.turn').length;
      const goal = events.findLast(({ type }) => type === 'step.completed');
      const files = (await installation.client.artifacts(id)).filter(({ kind }) => kind === 'turn');
      return {
        mode,
        turns,
        turnMs: Number(goal?.data['durationMs']) / turns,
        endMs: timeOf(events, 'run.completed') - timeOf(events, 'step.completed'),
        cpuMs: cpuMs / turns,
        bytes: files.reduce((sum, { size }) => sum + size, 0),
        files: files.length,
      };
    };
    const measurements: Measured[] = [];
    await measure('all');
    const rounds = forSize(options, { smoke: 1, short: 9, full: 25 });
    for (let index = 0; index < rounds; index += 1)
      for (const mode of modes) {
        const measured = await measure(mode);
        measurements.push(measured);
        options.log(`${mode}: ${round(measured.turnMs)} ms a turn, ${measured.files} files, ${measured.bytes} bytes`);
      }
    const middle = (mode: Mode, key: 'turnMs' | 'cpuMs' | 'endMs') =>
      median(measurements.filter((measured) => measured.mode === mode).map((measured) => measured[key]));
    const recorded = measurements.filter(({ mode }) => mode === 'all');
    return {
      figures: [
        atMost(
          'a turn with `all`, against `off`',
          round(middle('all', 'turnMs') / middle('off', 'turnMs'), 3),
          1.05,
          '×',
        ),
        plain('a turn with `off` / `all`', round(middle('off', 'turnMs')), `/ ${round(middle('all', 'turnMs'))} ms`),
        plain(
          'CPU of worker and browser, `off` / `all`',
          round(middle('off', 'cpuMs')),
          `/ ${round(middle('all', 'cpuMs'))} ms`,
        ),
        plain(
          'end of the goal to end of the run, `off` / `all`',
          round(middle('off', 'endMs')),
          `/ ${round(middle('all', 'endMs'))} ms`,
        ),
        plain('bytes of a turn', round(median(recorded.map(({ bytes, turns }) => bytes / turns)) / 1000, 1), 'kB'),
        plain('files of a turn', round(median(recorded.map(({ files, turns }) => files / turns)), 1), ''),
      ],
      raw: { measured: measurements, answerMs: ANSWER_MS },
    };
  } finally {
    await installation.stop();
    await models.close();
  }
};
