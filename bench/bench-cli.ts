/**
 * Runs the benchmarks. Each compares the product with a named peer in one run. See bench/RESULTS.md.
 * Usage: `node bench/bench-cli.ts [BENCH...] [--smoke|--full]`. `--help` lists the names and all options.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { agent } from './cases/agent.bench.ts';
import { agentDialects } from './cases/agent-dialect.bench.ts';
import { clicks } from './cases/clicks.bench.ts';
import { consoleBench } from './cases/console.bench.ts';
import { scalingDecision } from './cases/scaling-decision.bench.ts';
import { density } from './cases/memory-density.bench.ts';
import { desktopInput } from './cases/desktop-input.bench.ts';
import { desktopParserCache } from './cases/desktop-parser-cache.bench.ts';
import { desktopRecall } from './cases/desktop-recall.bench.ts';
import { desktopReplay } from './cases/desktop-replay.bench.ts';
import { desktopSession } from './cases/desktop-session.bench.ts';
import { desktopTasks } from './cases/desktop-tasks.bench.ts';
import { desktopTyping } from './cases/desktop-typing.bench.ts';
import { dispatch } from './cases/dispatch.bench.ts';
import { elements } from './cases/element-list.bench.ts';
import { isolation } from './cases/isolation.bench.ts';
import { isolationPod } from './cases/isolation-pod.bench.ts';
import { learning } from './cases/learning.bench.ts';
import { localModel } from './cases/local-model.bench.ts';
import { overhead } from './cases/step-overhead.bench.ts';
import type { Bench, BenchOptions } from './harness/bench.ts';
import { writeReport, machine, tableOf } from './harness/bench-report.ts';
import { screenshot } from './cases/screenshot.bench.ts';
import { sizing } from './cases/worker-sizing.bench.ts';
import { sse } from './cases/event-latency.bench.ts';
import { recovery } from './cases/recovery.bench.ts';
import { thousandWorkers } from './cases/thousand-workers.bench.ts';
import { turnCost } from './cases/turn-cost.bench.ts';
import { video } from './cases/video.bench.ts';

const benches: Readonly<Record<string, Bench>> = {
  'scaling-decision': scalingDecision,
  overhead,
  dispatch,
  density,
  sizing,
  sse,
  recovery,
  elements,
  screenshot,
  'thousand-workers': thousandWorkers,
  'turn-cost': turnCost,
  video,
  learning,
  agent,
  console: consoleBench,
  clicks,
  'desktop-typing': desktopTyping,
  'desktop-session': desktopSession,
  'desktop-input': desktopInput,
  'desktop-replay': desktopReplay,
  'desktop-recall': desktopRecall,
  'desktop-parser-cache': desktopParserCache,
  isolation,
  'desktop-tasks': desktopTasks,
  'local-model': localModel,
};

/** Benchmarks that run only by name, because they need a server. */
const namedOnly = new Set(['local-model']);

/** Benchmarks that need no bundles. */
const bundleless = new Set([
  'elements',
  'screenshot',
  'clicks',
  'desktop-typing',
  'desktop-session',
  'desktop-input',
  'desktop-replay',
  'desktop-recall',
  'desktop-parser-cache',
  'isolation',
  'desktop-tasks',
]);

const USAGE = `node bench/bench-cli.ts [BENCH...] [--smoke|--full] [--database URL] [--dist FOLDER]
  BENCH       ${Object.keys(benches).join(', ')} (default: all)
  --smoke     fewest rounds, which check that each bench works: no figures, no result files
  --full      more rounds
  --characters  characters that desktop-typing types in all (default: 10000)
  --tasks     tasks of desktop-tasks, separated by commas (default: all)
  --times     runs of each task in desktop-tasks (default: 3), seeds in agent --dialect (default: 1)
  --load      quiet, busy or both: load of the cores in desktop-tasks (default: both)
  --dialect   dialect of agent, without bundles: ${agentDialects.join(', ')}
  --pod       isolation in a pod of the cluster of KUBECONFIG, with the values of PILOTHOUSE_CHART_VALUES
  --minutes   minutes after which desktop-typing ends with fewer characters
  --url       OpenAI-compatible server of local-model, e.g. http://127.0.0.1:8080/v1
  --model     its model
  --key-file  file with its API key
  --repeat    tries of each goal of local-model (default: 5)
  --profile   full or compact prompts in local-model (default: by the context of the model)
  --database  PostgreSQL server in which databases are created (default: starts one)
  --dist      the bundles (default: dist/)`;

const { values, positionals } = parseOptions();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const names =
  positionals.length === 0 || positionals.includes('all')
    ? Object.keys(benches).filter((name) => !namedOnly.has(name))
    : positionals;
const unknown = names.filter((name) => !benches[name]);
const dist = resolve(values.dist);
if (unknown.length > 0) fail(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}.`);
const dialect = values.dialect;
if (dialect !== undefined && !agentDialects.includes(dialect))
  fail(`--dialect takes one of ${agentDialects.join(', ')}.`);
const needsBundles = (name: string) => !bundleless.has(name) && !(name === 'agent' && dialect !== undefined);
if (names.some(needsBundles) && !existsSync(join(dist, 'api/main.js')))
  fail(`There are no bundles in ${dist}: build them with npm run build.`);

const [characters, minutes] = [numberOf('characters'), numberOf('minutes')];
const times = numberOf('times') ?? numberOf('repeat');
const tasks = values.tasks?.split(',');
const load = loadOf(values.load);

const profile = profileOf(values.profile);
if (names.includes('local-model') && !(values.url && values.model))
  fail('local-model needs --url, e.g. http://127.0.0.1:8080/v1, and --model.');

const size = values.smoke ? 'smoke' : values.full ? 'full' : 'short';
const selected = Object.entries(benches).filter(([name]) => names.includes(name));
process.exitCode = (await (size === 'smoke' ? smokeAll() : measureAll())) ? 0 : 1;

/** @returns whether every target was met */
async function measureAll(): Promise<boolean> {
  let isMet = true;
  for (const [name, bench] of selected) {
    const on = await machine();
    const inPod = name === 'isolation' && values.pod;
    const result = await (inPod ? isolationPod : bench)(optionsOf(name));
    const report = inPod ? 'isolation-pod' : name === 'agent' && dialect !== undefined ? 'agent-dialects' : name;
    const file = await writeReport(report, result, on, new Date());
    isMet &&= result.figures.every(({ target }) => target?.isMet ?? true);
    console.log(`${tableOf(name, result.figures)}\n  ${file}\n`);
  }
  return isMet;
}

/** Runs every bench, also after a failed one. Targets do not count. @returns whether every bench ended without an error */
async function smokeAll(): Promise<boolean> {
  const failed: string[] = [];
  for (const [name, bench] of selected) {
    const startedAt = performance.now();
    let result = 'ok    ';
    try {
      await bench(optionsOf(name));
    } catch (error) {
      console.error(error);
      failed.push(name);
      result = 'FAILED';
    }
    console.log(`${result} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  }
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
  return failed.length === 0;
}

function optionsOf(name: string): BenchOptions {
  const log = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  const { database, url, model, 'key-file': keyFile } = values;
  const key = keyFile && readFileSync(keyFile, 'utf8').trim();
  const server = { url, model, key, profile };
  return { dist, database, size, characters, minutes, tasks, times, load, dialect, ...server, log };
}

function parseOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        pod: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
        characters: { type: 'string' },
        minutes: { type: 'string' },
        tasks: { type: 'string' },
        times: { type: 'string' },
        repeat: { type: 'string' },
        load: { type: 'string' },
        dialect: { type: 'string' },
        url: { type: 'string' },
        model: { type: 'string' },
        'key-file': { type: 'string' },
        profile: { type: 'string' },
        database: { type: 'string' },
        dist: { type: 'string', default: join(import.meta.dirname, '../dist') },
      },
    });
  } catch (error) {
    fail(`${(error as Error).message}\n${USAGE}`);
  }
}

function loadOf(text: string | undefined): BenchOptions['load'] {
  if (text === undefined || text === 'quiet' || text === 'busy' || text === 'both') return text;
  return fail('--load takes quiet, busy or both.');
}

function profileOf(text: string | undefined): BenchOptions['profile'] {
  if (text === undefined || text === 'full' || text === 'compact') return text;
  return fail('--profile takes full or compact.');
}

function numberOf(option: 'characters' | 'minutes' | 'times' | 'repeat'): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) fail(`--${option} takes a whole number above 0.`);
  return value;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
