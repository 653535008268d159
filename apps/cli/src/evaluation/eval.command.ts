import { MAX_EVAL_REPEATS, type EvalSuite } from '@pilothouse/contract/evaluation/eval-suite.schema';
import { modelNameSchema } from '@pilothouse/contract/model/model-settings.schema';
import { didYouMean } from '@pilothouse/contract/nearest';
import { evalReport, type EvalRun } from '@pilothouse/core/evaluation/eval-report';
import { InvalidArgumentError, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import { shortId } from '../api/find-by-id.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { duration } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { collect, wholeNumber } from '../runs/create-run.command.ts';
import { planJobs, runJobs, type EvalVariant } from './eval-runner.ts';
import { readSuite, readWebArenaSuite } from './eval-source.ts';
import { reportLines } from './eval-tables.ts';

interface EvalFlags extends ApiOptions {
  readonly format: 'suite' | 'webarena-verified';
  readonly sites?: string;
  readonly task?: readonly string[];
  readonly repeat?: number;
  readonly parallel: number;
  readonly model?: readonly string[];
  readonly version?: readonly string[];
  readonly id?: string;
  readonly output?: string;
  readonly minSuccess?: number;
}

const share = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('Use a number from 0 to 1, e.g. 0.9.');
  return value;
};

/** `pilothouse eval`. */
export const evalCommand = (source = processSource) =>
  newApiCommand(
    'eval',
    'Run the tasks of a suite, check the results, and report success rates.',
    [
      'pilothouse eval suite.yaml --repeat 5',
      'pilothouse eval suite.yaml --model gemini/gemini-2.5-flash --model gemini/gemini-2.5-pro',
      'pilothouse eval suite.yaml --version 3 --version 4 --min-success 0.9',
      'pilothouse eval webarena-verified.json --format webarena-verified --sites config.json --task 44',
    ],
    source,
  )
    .argument('<file>', 'suite file (YAML or JSON)')
    .addOption(
      new Option('--format <format>', 'format of the file').choices(['suite', 'webarena-verified']).default('suite'),
    )
    .option('--sites <file>', 'with --format webarena-verified: configuration file with the URLs of the sites')
    .option('--task <id>', 'only this task; repeatable', collect)
    .option('--repeat <n>', 'runs of each task (default: as in the suite)', wholeNumber(1))
    .option('--parallel <n>', 'maximum number of concurrent runs', wholeNumber(1), 4)
    .option('--model <endpoint/model>', 'model of the runs; repeat it to compare models', collect)
    .option('--version <n>', 'version of the workflows; repeat it to compare versions', collect)
    .option('--id <name>', 'id of the evaluation; the same id continues an interrupted evaluation within 24 hours')
    .option('-o, --output <file>', 'write the report and all results as JSON to this file')
    .option('--min-success <share>', 'exit with 1 if a success rate is lower, e.g. 0.9', share)
    .action(withApi(source, evaluate));

async function evaluate(api: Api, cli: Cli, flags: EvalFlags, file: string): Promise<void> {
  const { terminal, cwd } = cli;
  const source = flags.format === 'suite' ? readSuite(file, cwd) : readWebArenaSuite(file, flags.sites, cwd);
  const suite = selectTasks(source.suite, flags);
  const skipped = source.skipped.filter(({ task }) => !flags.task || flags.task.includes(task));
  for (const { task, problem } of skipped) terminal.err(`Skipped task ${clean(task)}: ${clean(problem)}`);
  if (suite.tasks.length === 0) throw usage('No task can be run.');
  const id = flags.id ?? randomUUID().slice(0, 8);
  const jobs = planJobs(suite, variantsOf(flags, suite));
  const runs: EvalRun[] = [];
  const interrupted = new AbortController();
  const removeInterruptListener = cli.onInterrupt(() => interrupted.abort());
  const printProgress = () => terminal.status(() => `${runs.length} of ${jobs.length} runs, id ${id}`);
  printProgress();
  try {
    await runJobs(jobs, {
      ...{ api, suite, id, parallel: flags.parallel, signal: interrupted.signal },
      onResult: (run) => {
        runs.push(run);
        if (!flags.json) terminal.out(resultLine(run, cli));
        printProgress();
      },
    });
  } catch (thrown) {
    terminal.err(`${runs.length} of ${jobs.length} runs are checked. To continue, add: --id ${id}`);
    if (interrupted.signal.aborted)
      throw new CommandError(exitCodes.interrupted, 'Interrupted. Started runs continue.');
    throw thrown;
  } finally {
    terminal.status(null);
    removeInterruptListener();
  }
  const report = evalReport(runs);
  const result = { id, suite: suite.name, ...report, skipped, runs };
  if (flags.output !== undefined) writeFileSync(resolve(cwd, flags.output), `${json(result)}\n`);
  if (flags.json) terminal.out(json(result));
  else for (const line of reportLines(report, runs, terminal.style, terminal.columns)) terminal.out(line);
  const { minSuccess } = flags;
  if (minSuccess !== undefined && Object.values(report.variants).some(({ rate }) => rate < minSuccess))
    cli.end(exitCodes.failed);
}

function selectTasks(suite: EvalSuite, { task: ids, repeat = suite.repeat }: EvalFlags): EvalSuite {
  if (repeat > MAX_EVAL_REPEATS) throw usage(`--repeat must be at most ${MAX_EVAL_REPEATS}.`);
  const unknownId = ids?.find((id) => !suite.tasks.some((task) => task.id === id));
  if (unknownId !== undefined && suite.tasks.length > 0) {
    const suggestion = didYouMean(
      unknownId,
      suite.tasks.map(({ id }) => id),
    );
    throw usage(`The suite has no task "${unknownId}" that can be run.`, suggestion ? [suggestion] : []);
  }
  return { ...suite, repeat, tasks: ids ? suite.tasks.filter(({ id }) => ids.includes(id)) : suite.tasks };
}

function variantsOf({ model: models = [], version: versions = [] }: EvalFlags, suite: EvalSuite): EvalVariant[] {
  if (models.length > 0 && versions.length > 0) throw usage('Use either --model or --version.');
  const names = models.length > 0 ? models : versions;
  if (new Set(names).size < names.length) throw usage('Each --model or --version must be different.');
  if (versions.length > 0 && suite.tasks.some(({ workflow }) => workflow === undefined))
    throw usage('--version requires tasks with `workflow`. Select them with --task.');
  if (models.length > 0) return models.map((model) => ({ name: validModel(model), model }));
  if (versions.length > 0)
    return versions.map((version) => ({ name: `version ${version}`, version: validVersion(version) }));
  return [{ name: suite.name }];
}

function validModel(model: string): string {
  const parsed = modelNameSchema.safeParse(model);
  if (parsed.success) return model;
  throw usage(`Invalid --model ${clean(model)}: use endpoint/model, e.g. gemini/gemini-2.5-flash.`);
}

function validVersion(version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version))
    throw usage(`Invalid --version ${clean(version)}: use a whole number of 1 or more.`);
  return Number(version);
}

function resultLine({ task, variant, repeat, run, problems, seconds }: EvalRun, { terminal }: Cli): string {
  const { style } = terminal;
  const mark = problems.length === 0 ? style.green('✓') : style.red('✗');
  const details = style.dim(`${clean(variant)}, run ${repeat}, ${duration(seconds)}, ${shortId(run)}`);
  const remainder = problems.length > 1 ? ` (and ${count(problems.length - 1, 'more problem')})` : '';
  return `${mark} ${clean(task)}  ${details}${problems.length > 0 ? `  ${clean(problems[0] ?? '')}${remainder}` : ''}`;
}
