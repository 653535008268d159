import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { shortId } from '../api/find-by-id.ts';
import { CommandError, exitCodes, type ExitCode } from '../output/exit-codes.ts';
import { openQuestion } from '../output/question-text.ts';
import { activityLine, Progress, type ProgressUpdate } from '../output/progress-lines.ts';
import { clean } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { endLines } from './run-result.ts';
import { stepsOfScreenshots } from './run-steps.ts';
import { saveArtifacts } from './download-artifacts.ts';

/** Options of following a run. */
export interface WatchOptions {
  /** Seconds to wait for the end; undefined: no limit. */
  readonly waitTimeout?: number;
  readonly json?: boolean;
  /** With JSON: also every event, one per line. */
  readonly events?: boolean;
  /** Directory to download artifacts to. */
  readonly download?: string;
  /** The workflow file of the run, for advice. */
  readonly file?: string | undefined;
  /** Ctrl-C cancels the run and waits for its end; otherwise the run continues. */
  readonly cancelOnInterrupt?: boolean;
  /** Called after an event is shown. */
  readonly onEvent?: (event: RunEvent) => void;
}

type RunApi = Pick<Api, 'url' | 'events' | 'run' | 'steps' | 'artifacts' | 'cancel'>;

const codeOf: Readonly<Record<RunView['status'], ExitCode>> = {
  completed: exitCodes.done,
  failed: exitCodes.failed,
  cancelled: exitCodes.cancelled,
  queued: exitCodes.timedOut,
  running: exitCodes.timedOut,
  awaiting_user: exitCodes.needsAnswer,
};

/**
 * Shows a run until it ends, then its result. The timeout stops the watching, never the run; so does Ctrl-C, unless it cancels the run.
 * Without a terminal and a timeout, an open question stops it too, because no person sees it. A browser that is kept open waits.
 * @returns the exit code for the result of the run
 */
export async function watchRun(api: RunApi, submitted: RunView, cli: Cli, options: WatchOptions): Promise<ExitCode> {
  const { terminal } = cli;
  const stopped = new AbortController();
  const removeInterruptListener = cli.onInterrupt(() => {
    if (options.cancelOnInterrupt) void cancel(api, submitted.id, cli, stopped);
    else stopped.abort(exitCodes.interrupted);
  });
  const timer =
    options.waitTimeout === undefined
      ? undefined
      : systemTimers.setTimeout(() => stopped.abort(exitCodes.timedOut), options.waitTimeout * 1000);
  const progress = new Progress(terminal.style);
  const canWaitForAnswer =
    terminal.isAttended || options.waitTimeout !== undefined || options.cancelOnInterrupt === true;
  try {
    for await (const event of api.events(submitted.id, { signal: stopped.signal })) {
      const update = progress.update(event);
      if (!options.json) printUpdate(update, cli);
      else if (options.events) terminal.out(json(event, 'one'));
      options.onEvent?.(event);
      if (event.type !== 'run.awaiting_user' || canWaitForAnswer) continue;
      // The event may be from the past, and its question answered.
      const run = await api.run(submitted.id, { signal: stopped.signal });
      if (isAwaitingAnswer(run)) return stopAtQuestion(run, cli, options);
    }
    terminal.status(null);
    const run = await waitForRunEnd(api, submitted.id, stopped.signal);
    return await report(api, run, progress, cli, options);
  } catch (thrown) {
    terminal.status(null);
    if (stopped.signal.aborted)
      return await stopFollowing(api, submitted, stopped.signal.reason as ExitCode, cli, options);
    if (thrown instanceof CommandError) throw thrown;
    terminal.err(continueHint(submitted.id));
    throw thrown;
  } finally {
    systemTimers.clearTimeout(timer);
    removeInterruptListener();
  }
}

/** Cancels the run and shows its end. If the request fails, following stops. */
async function cancel(api: Pick<Api, 'cancel'>, id: string, { terminal }: Cli, watching: AbortController) {
  try {
    await api.cancel(id);
  } catch (thrown) {
    terminal.err(`The run was not cancelled: ${thrown instanceof Error ? clean(thrown.message) : 'unknown error'}`);
    watching.abort(exitCodes.interrupted);
  }
}

function printUpdate({ lines, activity }: ProgressUpdate, { terminal, now }: Cli): void {
  for (const line of lines) terminal.out(line);
  if (activity === undefined) return;
  // Counted from now: the clock of the worker may differ.
  const since = now().toISOString();
  terminal.status(activity && (() => activityLine({ ...activity, since }, now())));
}

/** Waits for the end of a run. The event stream may be ahead of the row. */
export async function waitForRunEnd(api: Pick<Api, 'run'>, id: string, signal: AbortSignal): Promise<RunView> {
  for (;;) {
    const run = await api.run(id, { wait: 30, signal });
    if (isTerminal(run.status)) return run;
  }
}

async function report(
  api: RunApi,
  run: RunView,
  { failure, stepCount }: Pick<Progress, 'failure' | 'stepCount'>,
  { terminal, cwd }: Cli,
  options: WatchOptions,
): Promise<ExitCode> {
  const artifacts = await api.artifacts(run.id);
  const savedPaths =
    options.download === undefined
      ? []
      : await saveArtifacts(
          artifacts,
          options.download,
          api.url,
          cwd,
          await stepsOfScreenshots(api, run.id, artifacts),
        );
  if (options.json) {
    const files = savedPaths.length > 0 ? { saved: savedPaths } : {};
    const { output, error } = run;
    terminal.out(json({ run, output, error, artifacts, ...files }, options.events ? 'one' : 'many'));
  } else {
    const screenshot = screenshotOf(artifacts, failure?.step ?? null);
    const lines = endLines(
      run,
      { artifacts, savedPaths, screenshot, failure, stepCount, file: options.file ?? null },
      terminal,
    );
    for (const line of lines) terminal.out(line);
  }
  return codeOf[run.status];
}

/** The screenshot of the failure: the last one of the failed step. */
const screenshotOf = (artifacts: readonly ArtifactView[], step: number | null) =>
  (step !== null && artifacts.filter((artifact) => artifact.kind === 'screenshot' && artifact.step === step).at(-1)) ||
  null;

const continueHint = (id: string) =>
  `The run continues. Follow it: npx pilothouse logs -f ${shortId(id)}   Cancel it: npx pilothouse runs cancel ${shortId(id)}`;

const isAwaitingAnswer = ({ status, question }: RunView) => status === 'awaiting_user' && question !== null;

/** Prints the open question of a run and the commands that answer it. Lines of the run show it already unless the output is JSON. */
function stopAtQuestion(run: RunView, { terminal }: Cli, options: WatchOptions): ExitCode {
  terminal.status(null);
  const message = `Run ${shortId(run.id)} waits for an answer`;
  if (options.json) {
    const error = { code: 'NEEDS_ANSWER', message };
    terminal.out(json({ run, output: null, error }, options.events ? 'one' : 'many'));
    for (const line of openQuestion(run, terminal.errStyle)) terminal.err(line);
  }
  terminal.err(`${message}. Answer it with a command above. ${continueHint(run.id)}`);
  return exitCodes.needsAnswer;
}

async function stopFollowing(
  api: Pick<Api, 'run'>,
  run: RunView,
  reason: ExitCode,
  cli: Cli,
  options: WatchOptions,
): Promise<ExitCode> {
  const { terminal } = cli;
  if (reason === exitCodes.timedOut) {
    // A failed request leaves the timeout as the result.
    const current = await api.run(run.id).catch(() => null);
    if (current && isAwaitingAnswer(current)) return stopAtQuestion(current, cli, options);
  }
  const message = reason === exitCodes.timedOut ? `Still running after ${options.waitTimeout} s` : 'Stopped following';
  if (options.json) {
    const code = reason === exitCodes.timedOut ? 'TIMED_OUT' : 'INTERRUPTED';
    terminal.out(json({ run, output: null, error: { code, message } }, options.events ? 'one' : 'many'));
  }
  terminal.err(`${clean(message)}. ${continueHint(run.id)}`);
  return reason;
}
