import { isTerminal, type ArtifactView, type RunEvent, type RunView } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { shortId } from '../api/find-by-id.ts';
import { CommandError, exitCodes, type ExitCode } from '../output/exit-codes.ts';
import { atWorkLine, Progress, type Said } from '../output/progress-lines.ts';
import { clean } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { endLines } from './run-result.ts';
import { saveArtifacts } from './download-artifacts.ts';

/** How a run is watched. */
export interface WatchOptions {
  /** Seconds to wait for the end; undefined: as long as it takes. */
  readonly timeout?: number;
  readonly json?: boolean;
  /** With JSON: every event too, one a line. */
  readonly events?: boolean;
  /** Folder to save the files of the run in. */
  readonly save?: string;
  /** The workflow file it was started from, for advice. */
  readonly file?: string | undefined;
  /** Ctrl-C cancels the run and waits for its end; without it the run goes on. */
  readonly cancelOnInterrupt?: boolean;
  /** Called after an event is shown. */
  readonly onEvent?: (event: RunEvent) => void;
}

type Watched = Pick<Api, 'url' | 'events' | 'run' | 'artifacts' | 'cancel'>;

const codeOf: Readonly<Record<RunView['status'], ExitCode>> = {
  completed: exitCodes.done,
  failed: exitCodes.failed,
  cancelled: exitCodes.cancelled,
  queued: exitCodes.timedOut,
  running: exitCodes.timedOut,
  awaiting_user: exitCodes.timedOut,
};

/**
 * Shows a run until it ends, then its result. The timeout stops the watching, never the run; so does Ctrl-C, unless it cancels the run.
 * @returns the exit code that says how it ended
 */
export async function watchRun(api: Watched, submitted: RunView, cli: Cli, options: WatchOptions): Promise<ExitCode> {
  const { terminal } = cli;
  const enough = new AbortController();
  const removeInterruptListener = cli.onInterrupt(() => {
    if (options.cancelOnInterrupt) void cancel(api, submitted.id, cli, enough);
    else enough.abort(exitCodes.interrupted);
  });
  const timer =
    options.timeout === undefined
      ? undefined
      : setTimeout(() => enough.abort(exitCodes.timedOut), options.timeout * 1000);
  const progress = new Progress(terminal.style);
  try {
    for await (const event of api.events(submitted.id, { signal: enough.signal })) {
      const said = progress.tell(event);
      if (!options.json) tellPerson(said, cli);
      else if (options.events) terminal.out(json(event, 'one'));
      options.onEvent?.(event);
    }
    terminal.status(null);
    const run = await waitForRunEnd(api, submitted.id, enough.signal);
    return await report(api, run, progress, cli, options);
  } catch (thrown) {
    terminal.status(null);
    if (enough.signal.aborted) return stoppedWatching(submitted, enough.signal.reason as ExitCode, cli, options);
    if (thrown instanceof CommandError) throw thrown;
    terminal.err(howToGoOn(submitted.id));
    throw thrown;
  } finally {
    clearTimeout(timer);
    removeInterruptListener();
  }
}

/** Asks the API to cancel the run, whose end is then shown. When that fails, the watching stops. */
async function cancel(api: Pick<Api, 'cancel'>, id: string, { terminal }: Cli, watching: AbortController) {
  try {
    await api.cancel(id);
  } catch (thrown) {
    terminal.err(`The run was not cancelled: ${thrown instanceof Error ? clean(thrown.message) : 'unknown error'}`);
    watching.abort(exitCodes.interrupted);
  }
}

function tellPerson({ lines, atWork }: Said, { terminal, now }: Cli): void {
  for (const line of lines) terminal.out(line);
  if (atWork === undefined) return;
  // counted from here: the clock of who saw it may not be ours
  const since = now().toISOString();
  terminal.status(atWork && (() => atWorkLine({ ...atWork, since }, now())));
}

/** Waits for the end of a run. The event stream may be ahead of the row. */
export async function waitForRunEnd(api: Pick<Api, 'run'>, id: string, signal: AbortSignal): Promise<RunView> {
  for (;;) {
    const run = await api.run(id, { wait: 30, signal });
    if (isTerminal(run.status)) return run;
  }
}

async function report(
  api: Watched,
  run: RunView,
  { failure, stepCount }: Pick<Progress, 'failure' | 'stepCount'>,
  { terminal, cwd }: Cli,
  options: WatchOptions,
): Promise<ExitCode> {
  const artifacts = await api.artifacts(run.id);
  const saved = options.save === undefined ? [] : await saveArtifacts(artifacts, options.save, api.url, cwd);
  if (options.json) {
    const files = saved.length > 0 ? { saved } : {};
    const { output, error } = run;
    terminal.out(json({ run, output, error, artifacts, ...files }, options.events ? 'one' : 'many'));
  } else {
    const screenshot = screenshotOf(artifacts, failure?.step ?? null);
    const lines = endLines(
      run,
      { artifacts, saved, screenshot, failure, stepCount, file: options.file ?? null },
      terminal,
    );
    for (const line of lines) terminal.out(line);
  }
  return codeOf[run.status];
}

/** The picture of the failure: the last one of the step that failed. */
const screenshotOf = (artifacts: readonly ArtifactView[], step: number | null) =>
  (step !== null && artifacts.filter((one) => one.kind === 'screenshot' && one.step === step).at(-1)) || null;

const howToGoOn = (id: string) =>
  `The run goes on. Watch it: npx pilothouse logs -f ${shortId(id)}   Cancel it: npx pilothouse cancel ${shortId(id)}`;

function stoppedWatching(run: RunView, why: ExitCode, { terminal }: Cli, options: WatchOptions): ExitCode {
  const what = why === exitCodes.timedOut ? `Not ended after ${options.timeout} s` : 'Stopped watching';
  if (options.json) {
    const code = why === exitCodes.timedOut ? 'TIMED_OUT' : 'INTERRUPTED';
    terminal.out(json({ run, output: null, error: { code, message: what } }, options.events ? 'one' : 'many'));
  }
  terminal.err(`${clean(what)}. ${howToGoOn(run.id)}`);
  return why;
}
