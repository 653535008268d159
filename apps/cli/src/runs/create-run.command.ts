import type { Json, SubmitRun } from '@pilothouse/contract';
import { InvalidArgumentError, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortId } from '../api/find-by-id.ts';
import { exitHelp, usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { parseDuration } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { askSecrets, checkInputs, readInputs, type InputOptions } from './input-flags.ts';
import { keepOpenWatch } from './keep-open.ts';
import { readRunSource, type RunSource, type RunSourceOptions } from './run-source.ts';
import { isFile } from './workflow-source.ts';
import { KEEP_OPEN_HOURS, shortenWorkflow, type ShortenedWorkflow } from './until-step.ts';
import { watchRun, type WatchOptions } from './watch-run.ts';

/** Options of what is watched: `run` and `retry`. */
export interface WatchFlags extends ApiOptions {
  readonly detach?: boolean;
  readonly timeout?: number;
  readonly save?: string;
  readonly events?: boolean;
  readonly idempotencyKey?: string;
}

interface RunFlags extends WatchFlags, InputOptions, RunSourceOptions {
  readonly until?: string;
  readonly keepOpen?: true;
  readonly label?: readonly string[];
  readonly priority?: number;
  readonly fleet?: string;
  readonly screenshots?: SubmitRun['record']['screenshots'];
  readonly video?: true | 'small' | 'full';
  readonly har?: true | 'headers' | 'bodies';
  readonly console?: true;
  readonly trace?: 'none' | 'full';
  readonly budgetSteps?: number;
  readonly budgetSeconds?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
}

/** Collects an option that is given several times. */
export const each = (value: string, before: readonly string[] = []) => [...before, value];

/** Reads a whole number from `least` on. */
export const whole = (least: number) => (text: string) => {
  if (!/^-?\d{1,15}$/.test(text) || Number(text) < least)
    throw new InvalidArgumentError(`Give a whole number from ${least} on.`);
  return Number(text);
};

const dollars = (text: string) => {
  if (!/^\d+([.]\d+)?$/.test(text) || Number(text) <= 0) throw new InvalidArgumentError('Use an amount, e.g. 0.5.');
  return Number(text);
};

/** Reads a length of time as seconds. */
export const seconds = (text: string) => {
  const found = parseDuration(text);
  if (!found) throw new InvalidArgumentError('Give a time, e.g. 90, 90s, 5m, 2h.');
  return found;
};

/** Adds the options of commands that submit a run and watch it. */
export const watchOptions = (command: ReturnType<typeof newApiCommand>) =>
  command
    .option('-d, --detach', 'print the id of the run and do not wait for it')
    .option('--timeout <time>', 'wait so long at most, e.g. 90s, 5m; the run goes on', seconds)
    .option('--save <folder>', 'save screenshots, downloads and data of the run there')
    .option('--events', 'with --json: print each event as a line, and the result as the last one')
    .option('--idempotency-key <key>', 'the same key with the same request gives the same run for 24 hours');

/** `pilothouse run`: submits a run and shows it. */
export const runCommand = (source = oneCli) =>
  watchOptions(
    newApiCommand(
      'run',
      'run a workflow, by its name or from a file, or a goal in words, and watch it',
      [
        'pilothouse run top-stories.yaml',
        'pilothouse run harbour-order --input query="mooring rope" --input purchase_order=@order.pdf',
        'pilothouse run harbour-order --input-env password=PORTAL_PASSWORD --json',
        'pilothouse run top-stories.yaml --until stories --keep-open',
        'pilothouse run --goal "What does the cheapest mooring rope cost?" --page https://harbour.example/catalogue',
      ],
      source,
    ),
  )
    .argument('[workflow|file]', 'a workflow file (.yaml, .yml, .json), or the name of a workflow of the project')
    .option('--goal <words>', 'what an agent is to reach, in place of a workflow')
    .option('--page <url>', 'with --goal: the page it begins with')
    .option('--output-schema <file>', 'with --goal: JSON Schema of the answer, as JSON or YAML')
    .option('-i, --input <name=value>', 'an input; @path uploads a file, or reads a text from it (@@ is an @)', each)
    .option(
      '--input-env <name=VARIABLE>',
      'an input from a variable: for secrets, which may not stand in a command',
      each,
    )
    .option('--inputs <file>', 'inputs from a JSON or YAML file')
    .option(
      '--until <step>',
      'run the steps up to and including this one (number, id or title), then print the element list of the page',
    )
    .option(
      '--keep-open',
      `with --until: keep the browser open until Ctrl-C, at most ${KEEP_OPEN_HOURS} hours, to watch and control it in the console`,
    )
    .option('--version-number <n>', 'version of the workflow (default: the published one)', whole(1))
    .option('-l, --label <name=value>', 'a label to find the run by', each)
    .option('--priority <n>', 'from -100 to 100, higher goes first (default: 0)', whole(-100))
    .option('--fleet <name>', 'the fleet to run on')
    .addOption(
      new Option(
        '--screenshots <when>',
        'which to keep: after a step that failed, after every step, or around it, with its target marked (default: failure)',
      ).choices(['none', 'failure', 'steps', 'around']),
    )
    .addOption(
      new Option('--video [size]', 'keep a video: small (at most 640 × 640) or full (default: small)').choices([
        'small',
        'full',
      ]),
    )
    .addOption(
      new Option('--har [what]', 'keep what pages asked for, as HAR (default: headers)').choices(['headers', 'bodies']),
    )
    .option('--console', 'keep what pages write to their console')
    .addOption(
      new Option(
        '--trace <what>',
        'what models are asked and answered: full keeps it (default: as the project says)',
      ).choices(['none', 'full']),
    )
    .option('--budget-steps <n>', 'steps the run may take', whole(1))
    .option('--budget-seconds <time>', 'time the run may work, e.g. 90, 5m', seconds)
    .option('--budget-tokens <n>', 'tokens of models the run may take', whole(1))
    .option('--budget-usd <n>', 'US dollars the run may take for models, e.g. 0.5', dollars)
    .addHelpText(
      'after',
      [
        '',
        'Secret inputs that are missing are asked for on the terminal, without showing them.',
        'Ctrl-C stops watching; the run goes on until it ends or is cancelled with: pilothouse cancel <run>',
        'With --keep-open, Ctrl-C cancels the run. A second Ctrl-C exits immediately.',
        '',
        exitHelp,
      ].join('\n'),
    )
    .action(withApi(source, run));

async function run(api: Api, cli: Cli, flags: RunFlags, given: string | undefined): Promise<void> {
  const file = given !== undefined && isFile(given, cli.cwd) ? given : undefined;
  const source = await readRunSource(api, cli, given, flags);
  const shortened = shorten(source, flags);
  const from = shortened ? untilStep(source, shortened) : source;
  const read = readInputs(from.inputs, flags, cli);
  const inputs = await askSecrets(from.inputs, read, cli.terminal);
  checkInputs(from.inputs, inputs);
  const body = submission(from, flags);
  const uploaded = await upload(api, cli, inputs.files);
  const submitted = await api.submit(
    { ...body, inputs: { ...inputs.values, ...uploaded } },
    flags.idempotencyKey ?? randomUUID(),
  );
  const watch = shortened && flags.keepOpen ? keepOpenWatch(shortened, submitted, cli) : {};
  await follow(api, cli, submitted, flags, from.name, { file, ...watch });
}

/** The workflow up to `--until`; null without it. */
function shorten({ definition }: RunSource, flags: RunFlags): ShortenedWorkflow | null {
  const { until, keepOpen = false } = flags;
  if (until === undefined && keepOpen) throw usage('--keep-open requires --until.');
  if (until === undefined) return null;
  if (definition === null) throw usage('--until requires a workflow: it cannot be used with --goal.');
  if (keepOpen && (flags.detach || flags.json || flags.timeout !== undefined))
    throw usage('--keep-open cannot be used with --detach, --json or --timeout: the run ends with Ctrl-C.');
  return shortenWorkflow(definition, until, keepOpen);
}

/** A shortened workflow is submitted whole: it is no version of the project. */
const untilStep = ({ name }: RunSource, { definition, lastStep }: ShortenedWorkflow): RunSource => ({
  body: { definition },
  inputs: definition.inputs,
  definition,
  name: `${name}, until step ${lastStep}`,
});

/** Shows a submitted run as the flags say: its id, or all of it. */
export async function follow(
  api: Api,
  cli: Cli,
  submitted: Awaited<ReturnType<Api['submit']>>,
  flags: WatchFlags,
  name: string,
  watch: Pick<WatchOptions, 'file' | 'onEvent' | 'cancelOnInterrupt'> = {},
): Promise<void> {
  const { terminal } = cli;
  if (flags.detach) {
    terminal.out(flags.json ? json(submitted) : submitted.id);
    return;
  }
  if (!flags.json) {
    const { style } = terminal;
    terminal.out(`${style.bold(clean(name))} ${style.dim(`run ${shortId(submitted.id)} on fleet ${submitted.fleet}`)}`);
  }
  cli.end(await watchRun(api, submitted, cli, { ...flags, ...watch }));
}

function submission({ body }: RunSource, flags: RunFlags): SubmitRun {
  if ((flags.priority ?? 0) > 100) throw usage('--priority is from -100 to 100.');
  return {
    ...body,
    inputs: {},
    fleet: flags.fleet,
    priority: flags.priority ?? 0,
    budget: {
      steps: flags.budgetSteps,
      seconds: flags.budgetSeconds,
      tokens: flags.budgetTokens,
      usd: flags.budgetUsd,
    },
    record: recordOf(flags),
    labels: Object.fromEntries((flags.label ?? []).map(labelOf)),
  };
}

/** What is kept of the run; what is not asked for is left out. */
function recordOf({ screenshots = 'failure', video, har, console, trace }: RunFlags): SubmitRun['record'] {
  return {
    screenshots,
    ...(video && { video: video === true ? 'small' : video }),
    ...(har && { har: har === true ? 'headers' : har }),
    ...(console && { console }),
    ...(trace && { trace }),
  };
}

/** A label as it is written: `name=value`. */
export function labelOf(given: string): [string, string] {
  const at = given.indexOf('=');
  if (at < 1) throw usage(`--label ${given}: write it as name=value.`);
  return [given.slice(0, at), given.slice(at + 1)];
}

async function upload(
  api: Api,
  { terminal }: Cli,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, Json>> {
  const ids: Record<string, Json> = {};
  for (const [name, path] of Object.entries(files)) {
    terminal.status(() => `sending ${basename(path)}`);
    ids[name] = (await api.upload(path)).id;
  }
  terminal.status(null);
  return ids;
}
