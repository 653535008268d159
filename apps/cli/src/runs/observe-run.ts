import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import type { RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { randomUUID } from 'node:crypto';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { shortId } from '../api/find-by-id.ts';
import { CommandError, exitCodes } from '../output/exit-codes.ts';
import { advice } from '../output/failure-report.ts';
import { clean } from '../output/sanitize-text.ts';
import { waitForRunEnd } from './watch-run.ts';

/** Seconds that the run may wait for a worker. */
const QUEUE_SECONDS = 300;

/** Which page is observed, and with which profile. */
export interface ProfilePage {
  readonly url: string;
  readonly profile: string;
  readonly level: ObservationLevel;
  /** Seconds that opening the page, and observing it, may take. */
  readonly timeout: number;
}

/** The result of a run that observes a page. */
export interface RunObservation {
  readonly run: string;
  /** The element list, as `observationText` writes it. */
  readonly text: string;
}

/**
 * Observes a page with a profile, by a run on the installation. Ctrl-C cancels the run.
 * @throws CommandError when the run fails or is cancelled; its lines suggest a fix
 */
export async function observeByRun(
  api: Pick<Api, 'submit' | 'run' | 'cancel'>,
  { terminal, onInterrupt }: Pick<Cli, 'terminal' | 'onInterrupt'>,
  page: ProfilePage,
): Promise<RunObservation> {
  const { id, fleet } = await api.submit(submission(page), randomUUID());
  const interrupted = new AbortController();
  const removeInterruptListener = onInterrupt(() => interrupted.abort());
  terminal.status(() => `run ${shortId(id)} on fleet ${fleet}`);
  try {
    return observationOf(await waitForRunEnd(api, id, interrupted.signal));
  } catch (thrown) {
    if (!interrupted.signal.aborted) throw thrown;
    return observationOf(await api.cancel(id));
  } finally {
    removeInterruptListener();
    terminal.status(null);
  }
}

const submission = ({ url, profile, level, timeout }: ProfilePage): SubmitRun => ({
  definition: {
    name: 'observe',
    surface: 'browser',
    browser: { profile: { name: profile, required: true } },
    inputs: {},
    steps: [
      { action: 'navigate', url, timeout },
      { action: 'observe', id: 'page', level, locators: true, timeout },
    ],
    output: '{{steps.page.value}}',
  },
  inputs: {},
  priority: 0,
  budget: {},
  capture: { screenshots: 'none' },
  labels: {},
  expiresIn: QUEUE_SECONDS,
});

function observationOf({ id, status, output, error }: RunView): RunObservation {
  if (status === 'completed' && typeof output === 'string') return { run: id, text: output };
  if (error && status === 'failed') {
    const context = { run: shortId(id), file: null, workflow: null, screenshot: null };
    const lines = error.code === 'STEP_TIMED_OUT' ? ['Increase the time limit with --timeout'] : advice(error, context);
    throw new CommandError(exitCodes.failed, clean(error.message), [error.code, ...lines]);
  }
  throw new CommandError(exitCodes.cancelled, `Run ${shortId(id)} was cancelled.`);
}
