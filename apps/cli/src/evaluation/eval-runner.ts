import type { EvalSuite, EvalTask } from '@pilothouse/contract/evaluation/eval-suite.schema';
import { harSchema, type HarEntry } from '@pilothouse/contract/run/capture.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { evalProblems, needsRequests } from '@pilothouse/core/evaluation/eval-checks';
import type { EvalRun } from '@pilothouse/core/evaluation/eval-report';
import { createHash } from 'node:crypto';
import type { Api } from '../api/api-port.ts';
import { secondsBetween } from '../output/time-text.ts';

export type EvalApi = Pick<Api, 'url' | 'submit' | 'run' | 'cancel' | 'artifacts'>;

/** A model or a workflow version to compare. */
export interface EvalVariant {
  readonly name: string;
  readonly model?: string;
  readonly version?: number;
}

/** One run to submit. */
export interface EvalJob {
  readonly task: EvalTask;
  readonly variant: EvalVariant;
  /** From 1. */
  readonly repeat: number;
}

/** All runs of a suite. Variants alternate, so that a slow hour affects all of them. */
export const planJobs = (suite: EvalSuite, variants: readonly EvalVariant[]): EvalJob[] =>
  Array.from({ length: suite.repeat }, (_, index) => index + 1).flatMap((repeat) =>
    suite.tasks.flatMap((task) => variants.map((variant) => ({ task, variant, repeat }))),
  );

export interface EvalRunnerOptions {
  readonly api: EvalApi;
  readonly suite: EvalSuite;
  /** Id of the evaluation. Within 24 hours, a second evaluation with the same id continues the first. */
  readonly id: string;
  /** Maximum number of concurrent runs. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly onResult: (result: EvalRun) => void;
}

/** Submits and checks all runs. @returns the runs in the order of the jobs @throws the first error of the API; the reason of the signal */
export async function runJobs(jobs: readonly EvalJob[], options: EvalRunnerOptions): Promise<EvalRun[]> {
  const results = new Map<number, EvalRun>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let next = 0;
  const runNextJobs = async () => {
    while (next < jobs.length) {
      signal.throwIfAborted();
      const index = next++;
      const job = jobs[index];
      if (!job) return;
      const result = await runJob(job, { ...options, signal });
      results.set(index, result);
      options.onResult(result);
    }
  };
  const workers = Array.from({ length: Math.min(options.parallel, jobs.length) }, runNextJobs);
  try {
    await Promise.all(workers);
  } finally {
    stop.abort();
    await Promise.allSettled(workers);
  }
  return [...results].toSorted(([firstIndex], [secondIndex]) => firstIndex - secondIndex).map(([, result]) => result);
}

async function runJob({ task, variant, repeat }: EvalJob, options: EvalRunnerOptions): Promise<EvalRun> {
  const { api, suite, id, signal } = options;
  const key = createHash('sha256')
    .update(JSON.stringify([id, suite.name, task.id, variant.name, repeat]))
    .digest('hex');
  const submitted = await api.submit(submissionOf(task, variant, suite, { id, repeat }), `eval-${key.slice(0, 40)}`);
  const { run, question } = await waitForEnd(api, submitted, signal);
  const requests = needsRequests(task) ? await readRequests(api, run.id, signal).catch(toReadError(signal)) : null;
  const problems = question
    ? [`The run asked a person: ${question}`]
    : requests instanceof Error
      ? [`The requests of the run cannot be read: ${requests.message}. Repeat the suite with another --id.`]
      : evalProblems(task, { status: run.status, error: run.error, output: run.output, requests });
  return {
    task: task.id,
    variant: variant.name,
    repeat,
    run: run.id,
    problems,
    status: run.status,
    seconds: secondsBetween(run.startedAt ?? run.createdAt, run.finishedAt ?? run.createdAt),
    steps: run.steps.total,
    modelFreeSteps: run.steps.modelFree,
    calls: run.usage.calls,
    tokens: run.usage.tokens,
    usd: run.usage.usd,
  };
}

function submissionOf(
  task: EvalTask,
  { name, model, version }: EvalVariant,
  { name: suite, budget = {}, fleet }: EvalSuite,
  { id, repeat }: { id: string; repeat: number },
): SubmitRun {
  const { goal, url, outputSchema, workflow, inputs, labels } = task;
  return {
    ...(goal !== undefined ? { goal, url, outputSchema } : { workflow, version: version ?? task.version }),
    inputs,
    fleet,
    priority: 0,
    budget,
    capture: { screenshots: 'only-on-failure', ...(needsRequests(task) && { har: 'bodies' as const }) },
    labels: { ...labels, eval: id, suite, task: task.id, variant: name.slice(0, 255), repeat: String(repeat) },
    ...(model !== undefined && { model }),
  };
}

/** Longest wait of one request for the end of a run, in seconds. */
const WAIT_SECONDS = 10;

/** Waits for the end of a run. A run that asks a person is cancelled: no person answers during an evaluation. */
async function waitForEnd(
  api: EvalApi,
  submitted: RunView,
  signal: AbortSignal,
): Promise<{ run: RunView; question: string | null }> {
  let question: string | null = null;
  for (let run = submitted; ; run = await api.run(submitted.id, { wait: WAIT_SECONDS, signal })) {
    if (isTerminal(run.status)) return { run: await api.run(run.id, { signal }), question };
    if (run.status !== 'awaiting_user' || question !== null) continue;
    question = run.question?.reason ?? 'no reason';
    await api.cancel(run.id);
  }
}

/** Largest HAR file, in bytes. */
const MAX_HAR_BYTES = 64 * 1024 * 1024;

/** Timeout of the download of a HAR file. */
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** Turns an error into a result: one unreadable file must not end the suite. */
const toReadError = (signal: AbortSignal) => (error: unknown) => {
  if (signal.aborted) throw error;
  return error instanceof Error ? error : new Error(String(error));
};

/** Recorded requests of all attempts, in order of time; null: no HAR file. */
async function readRequests(api: EvalApi, run: string, signal: AbortSignal): Promise<HarEntry[] | null> {
  const files = (await api.artifacts(run)).filter(({ kind, name }) => kind === 'trace' && name.endsWith('.har'));
  if (files.length === 0) return null;
  const entries: HarEntry[] = [];
  for (const { url, size, name } of files) {
    if (size > MAX_HAR_BYTES) throw new Error(`${name} of run ${run} has more than ${MAX_HAR_BYTES} bytes`);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
    const response = await fetch(new URL(url, api.url), { signal: deadline });
    if (!response.ok) throw new Error(`${name} of run ${run}: HTTP ${response.status} from the object store`);
    entries.push(...harSchema.parse(await response.json()).log.entries);
  }
  return entries.toSorted((first, second) => first.startedDateTime.localeCompare(second.startedDateTime));
}
