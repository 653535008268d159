import { turnRecordingSchema, type TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { SubmitRun } from '@pilothouse/contract/run/run.schema';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortId } from '../api/find-by-id.ts';
import { exitCodes, exitHelp, usage, type ExitCode } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { parseDuration } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { promptSecrets, checkInputs, readInputs, type InputOptions } from './input-flags.ts';
import { keepOpenOptions } from './keep-open.ts';
import { readRunSource, type RunSource, type RunSourceOptions } from './run-source.ts';
import { isFile } from './workflow-source.ts';
import { KEEP_OPEN_HOURS, shortenWorkflow, type ShortenedWorkflow } from './until-step.ts';
import { watchRun, type WatchOptions } from './watch-run.ts';

/** Options of commands that follow a run. */
export interface WatchFlags extends ApiOptions {
  readonly detach?: boolean;
  readonly waitTimeout?: number;
  readonly download?: string;
  readonly events?: boolean;
  readonly idempotencyKey?: string;
}

interface RunFlags extends WatchFlags, InputOptions, RunSourceOptions {
  readonly until?: string;
  readonly keepOpen?: true;
  readonly label?: readonly string[];
  readonly priority?: number;
  readonly fleet?: string;
  readonly screenshots?: SubmitRun['capture']['screenshots'];
  readonly video?: true | 'small' | 'full';
  readonly har?: true | 'headers' | 'bodies';
  readonly browserConsole?: true;
  readonly modelLog?: 'none' | 'full';
  readonly recordTurns?: TurnRecording;
  readonly maxSteps?: number;
  readonly maxDuration?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
}

/** Collects the values of a repeatable option. */
export const collect = (value: string, previous: readonly string[] = []) => [...previous, value];

/** Parses a whole number of `least` or more. */
export const wholeNumber = (least: number) => (text: string) => {
  if (!/^-?\d{1,15}$/.test(text) || Number(text) < least)
    throw new InvalidArgumentError(`Use a whole number of ${least} or more.`);
  return Number(text);
};

const dollars = (text: string) => {
  if (!/^\d+([.]\d+)?$/.test(text) || Number(text) <= 0) throw new InvalidArgumentError('Use an amount, e.g. 0.5.');
  return Number(text);
};

/** Parses a duration as seconds. */
export const seconds = (text: string) => {
  const durationSeconds = parseDuration(text);
  if (!durationSeconds) throw new InvalidArgumentError('Use a duration, e.g. 90, 90s, 5m, 2h.');
  return durationSeconds;
};

/** Adds the options of commands that follow a run. */
export const watchOptions = (command: Command) =>
  command
    .option('--wait-timeout <time>', 'stop waiting after this time, also for an answer; the run continues', seconds)
    .option('--download <directory>', 'save artifacts to this directory')
    .option('--events', 'with --json: print events as JSON lines, then the result')
    .option('--idempotency-key <key>', 'repeated requests with this key return the same run (24 h)');

/** Adds the option that prints the id of a run instead of following it. */
export const detachOption = (command: Command) => command.option('-d, --detach', 'print the run id and exit');

/** `pilothouse run`: the shortcut of `pilothouse runs create --follow`. */
export const runCommand = (source = processSource) =>
  detachOption(
    submitOptions(
      newApiCommand(
        'run',
        'Run a workflow (file or name) or a goal, and follow it.',
        [
          'pilothouse run top-stories.yaml',
          'pilothouse run harbour-order --input query="mooring rope" --input purchase_order=@order.pdf',
          'pilothouse run harbour-order --input-from-env password=PORTAL_PASSWORD --json',
          'pilothouse run harbour-order --input-from-secret password=portal-password',
          'pilothouse run top-stories.yaml --until stories --keep-open',
          'pilothouse run --goal "What does the cheapest mooring rope cost?" --url https://harbour.example/catalogue',
        ],
        source,
      ),
    ),
  ).action(withApi(source, run));

/** `pilothouse runs create`. */
export const createRunCommand = (source = processSource) =>
  submitOptions(
    newApiCommand(
      'create',
      'Create a run of a workflow (file or name) or a goal, and print its id.',
      ['pilothouse runs create harbour-order --input query=rope', 'pilothouse runs create top-stories.yaml --follow'],
      source,
    ),
  )
    .option('-f, --follow', 'follow the run until it ends')
    .action(
      withApi(source, (api, cli, flags: RunFlags & { readonly follow?: true }, name: string | undefined) =>
        run(api, cli, { ...flags, detach: flags.follow !== true }, name),
      ),
    );

const submitOptions = (command: Command) =>
  watchOptions(command)
    .argument('[workflow|file]', 'workflow file (.yaml, .yml, .json) or workflow name')
    .option('--goal <text>', 'goal for an agent, instead of a workflow')
    .option('--url <url>', 'with --goal: start URL')
    .option('--output-schema <file>', 'with --goal: JSON Schema of the answer, as JSON or YAML')
    .option('-i, --input <name=value>', 'input value; @path uploads or reads a file (@@ for a literal @)', collect)
    .option('--input-from-env <name=VARIABLE>', 'input from an environment variable (use for secrets)', collect)
    .option('--input-from-secret <name=secret>', 'secret input from a secret of the project, by name', collect)
    .option('--inputs <file>', 'inputs from a JSON or YAML file')
    .option(
      '--until <step>',
      'run the steps up to and including this one (number, id or title), then print the element list of the page',
    )
    .option(
      '--keep-open',
      `with --until: keep the browser open until Ctrl-C, at most ${KEEP_OPEN_HOURS} hours, to watch and control it in the console`,
    )
    .option('--version <n>', 'workflow version (default: published)', wholeNumber(1))
    .option('-l, --label <name=value>', 'label; repeatable', collect)
    .option('--priority <n>', '-100 to 100, higher runs first (default: 0)', wholeNumber(-100))
    .option('--fleet <name>', 'fleet name')
    .addOption(
      new Option(
        '--screenshots <when>',
        'screenshots to keep: on failure and at the end of a goal, after every step, or before and after (default: failure)',
      ).choices(['none', 'only-on-failure', 'on', 'before-and-after']),
    )
    .addOption(
      new Option('--video [size]', 'record a video: small (max 640 × 640) or full (default: small)').choices([
        'small',
        'full',
      ]),
    )
    .addOption(
      new Option('--har [content]', 'record network traffic as HAR: headers or bodies (default: headers)').choices([
        'headers',
        'bodies',
      ]),
    )
    .option('--browser-console', 'record the browser console')
    .addOption(
      new Option('--model-log <mode>', 'store prompts and answers: full or none (default: project setting)').choices([
        'none',
        'full',
      ]),
    )
    .addOption(
      new Option('--record-turns <mode>', 'agent turns to store for learning (default: project setting)').choices(
        turnRecordingSchema.options,
      ),
    )
    .option('--max-steps <n>', 'maximum steps', wholeNumber(1))
    .option('--max-duration <time>', 'maximum run time, e.g. 90s, 5m', seconds)
    .option('--max-tokens <n>', 'maximum model tokens', wholeNumber(1))
    .option('--max-cost <usd>', 'maximum model cost in USD, e.g. 0.5', dollars)
    .addHelpText(
      'after',
      [
        '',
        'Missing secret inputs are prompted for without echo.',
        'If the run asks a question and there is no terminal, its answer commands are printed and the exit code is 6.',
        'With --wait-timeout, the command waits that long for an answer.',
        'Ctrl-C stops following. Cancel with: pilothouse runs cancel <run>',
        'With --keep-open, Ctrl-C cancels the run. A second Ctrl-C exits immediately.',
        '',
        exitHelp,
      ].join('\n'),
    );

async function run(api: Api, cli: Cli, flags: RunFlags, name: string | undefined): Promise<void> {
  const file = name !== undefined && isFile(name, cli.cwd) ? name : undefined;
  const source = await readRunSource(api, cli, name, flags);
  const shortened = shorten(source, flags);
  const runSource = shortened ? untilStep(source, shortened) : source;
  const values = readInputs(runSource.inputs, flags, cli);
  const inputs = await promptSecrets(runSource.inputs, values, cli.terminal);
  checkInputs(runSource.inputs, inputs);
  const body = submission(runSource, flags);
  const uploaded = await upload(api, cli, inputs.files);
  const submitted = await api.submit(
    { ...body, inputs: { ...inputs.values, ...uploaded } },
    flags.idempotencyKey ?? randomUUID(),
  );
  const watch = shortened && flags.keepOpen ? keepOpenOptions(shortened, submitted, cli) : {};
  cli.end(await follow(api, cli, submitted, flags, runSource.name, { file, ...watch }));
}

/** The workflow up to `--until`; null without it. */
function shorten({ definition }: RunSource, flags: RunFlags): ShortenedWorkflow | null {
  const { until, keepOpen = false } = flags;
  if (until === undefined && keepOpen) throw usage('--keep-open requires --until.');
  if (until === undefined) return null;
  if (definition === null) throw usage('--until requires a workflow: it cannot be used with --goal.');
  if (keepOpen && (flags.detach || flags.json || flags.waitTimeout !== undefined))
    throw usage('--keep-open cannot be used with --detach, --json or --wait-timeout: the run ends with Ctrl-C.');
  return shortenWorkflow(definition, until, keepOpen);
}

/** A shortened workflow is submitted inline: it is not a version of the project. */
const untilStep = ({ name }: RunSource, { definition, lastStep }: ShortenedWorkflow): RunSource => ({
  body: { definition },
  inputs: definition.inputs,
  definition,
  name: `${name}, until step ${lastStep}`,
});

/** Prints the id of a submitted run, or follows it to its end. Returns the exit code. */
export async function follow(
  api: Api,
  cli: Cli,
  submitted: Awaited<ReturnType<Api['submit']>>,
  flags: WatchFlags,
  name: string,
  watch: Pick<WatchOptions, 'file' | 'onEvent' | 'cancelOnInterrupt'> = {},
): Promise<ExitCode> {
  const { terminal } = cli;
  if (flags.detach) {
    terminal.out(flags.json ? json(submitted) : submitted.id);
    return exitCodes.done;
  }
  if (!flags.json) {
    const { style } = terminal;
    terminal.out(`${style.bold(clean(name))} ${style.dim(`run ${shortId(submitted.id)} on fleet ${submitted.fleet}`)}`);
  }
  return watchRun(api, submitted, cli, { ...flags, ...watch });
}

function submission({ body }: RunSource, flags: RunFlags): SubmitRun {
  if ((flags.priority ?? 0) > 100) throw usage('--priority must be -100 to 100.');
  return {
    ...body,
    inputs: {},
    fleet: flags.fleet,
    priority: flags.priority ?? 0,
    budget: {
      steps: flags.maxSteps,
      seconds: flags.maxDuration,
      tokens: flags.maxTokens,
      usd: flags.maxCost,
    },
    capture: captureOf(flags),
    labels: Object.fromEntries((flags.label ?? []).map(labelOf)),
  };
}

/** The recordings of the run. */
function captureOf({
  screenshots = 'only-on-failure',
  video,
  har,
  browserConsole,
  modelLog,
  recordTurns,
}: RunFlags): SubmitRun['capture'] {
  return {
    screenshots,
    ...(video && { video: video === true ? 'small' : video }),
    ...(har && { har: har === true ? 'headers' : har }),
    ...(browserConsole && { console: browserConsole }),
    ...(modelLog && { trace: modelLog }),
    ...(recordTurns && { turns: recordTurns }),
  };
}

/** Parses a label: `name=value`. */
export function labelOf(text: string): [string, string] {
  const separatorIndex = text.indexOf('=');
  if (separatorIndex < 1) throw usage(`Invalid --label ${text}: use name=value.`);
  return [text.slice(0, separatorIndex), text.slice(separatorIndex + 1)];
}

async function upload(
  api: Api,
  { terminal }: Cli,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, Json>> {
  const ids: Record<string, Json> = {};
  for (const [name, path] of Object.entries(files)) {
    terminal.status(() => `uploading ${basename(path)}`);
    ids[name] = (await api.upload(path)).id;
  }
  terminal.status(null);
  return ids;
}
