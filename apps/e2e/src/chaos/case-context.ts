import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../harness/child-program.ts';
import { until } from '../harness/poll-until.ts';
import type { CaseFacts, Drained } from './checks/stored-run.ts';
import type { LedgerReader } from './checks/site-ledger.ts';
import {
  readRunStates,
  hasStartedStep,
  isHealedRunStored,
  readEvents,
  readCachedActions,
  readRepairs,
  readRuns,
  workersOf,
  type RunState,
} from './checks/read-run.ts';
import { RetryingClient } from './retrying-client.ts';
import { ChaosWorker, type ChaosWorkerOptions } from './system/worker-process.ts';
import type { ChaosSystem } from './system/system.ts';
import { killRemainingProcesses } from './system/process-cleanup.ts';
import type { FleetName } from './system/chaos-settings.ts';
import { definitionOf, stepsOf, type StepFacts, type WorkflowPlan } from './plan/random-workflow.ts';

const terminalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Milliseconds between two polls of the runs. Each poll costs the database as much as a run. */
const POLL_INTERVAL_MS = 100;

/** Milliseconds for a run to end, or to reach a point. Only a stuck run takes this long, even on a busy machine. */
export const END_MS = 120_000;

/** Milliseconds between two polls for questions during another wait. */
const QUESTION_POLL_INTERVAL_MS = 300;

/** Execution context of one case: its runs, its workers, and the faults it applied. */
export class CaseContext {
  readonly system: ChaosSystem;
  readonly surface: 'http' | 'browser';
  readonly client: RetryingClient;
  readonly workers: ChaosWorker[] = [];
  /** Further processes of the case. */
  readonly controllers: Program[] = [];
  readonly cancelled = new Set<string>();
  readonly dismissed = new Set<string>();
  /** Answered questions. */
  answers = 0;
  /** The worker that receives SIGTERM, when that is the only fault. */
  drained: Drained | null = null;
  /** Error codes with which a run may fail because of the fault. */
  readonly mayFail: string[] = [];
  /** The substitute fault, when the system does not support the planned one. */
  substitute: string | null = null;
  /** Replica that a client asks first. */
  preferred = 0;
  private readonly label: string;
  private readonly ledger: LedgerReader;
  private readonly steps = new Map<string, readonly StepFacts[]>();
  private readonly workflows = new Set<string>();
  private readonly submissions: { key: string; runs: string[] }[] = [];
  private readonly answering = new Map<string, Promise<void>>();
  private keys = 0;
  private startedWorkers = 0;
  private hasDedicatedFleet = false;

  constructor(system: ChaosSystem, surface: 'http' | 'browser', label: string, ledger: LedgerReader) {
    this.system = system;
    this.surface = surface;
    this.client = new RetryingClient(system);
    this.label = label;
    this.ledger = ledger;
  }

  /** Reuses an existing worker, or starts one. */
  async startWorker(
    options: Pick<ChaosWorkerOptions, 'failpoints' | 'env' | 'slots' | 'preferred'> = {},
  ): Promise<ChaosWorker> {
    const isPlain = Object.values(options).every((value) => value === undefined) && !this.hasDedicatedFleet;
    const idleWorker = [...this.system.workers].find(
      (worker) => worker.fleet === this.fleet && !this.workers.includes(worker),
    );
    if (isPlain && idleWorker) {
      this.workers.push(idleWorker);
      return idleWorker;
    }
    // The name is unique on this machine, so remaining processes of a worker can be identified by it.
    const name = `${this.label}-${++this.startedWorkers}-${this.system.tag}`;
    const { fleet, surface } = this;
    const worker = await ChaosWorker.start(this.system, { ...options, name, fleet, surface });
    if (isPlain) this.system.workers.add(worker);
    this.workers.push(worker);
    return worker;
  }

  /** From here on only workers of this case take its runs. */
  useDedicatedFleet(): void {
    this.hasDedicatedFleet = true;
  }

  /** The fleet of the case. */
  get fleet(): FleetName {
    return this.hasDedicatedFleet ? 'solo' : this.surface;
  }

  /**
   * Saves a workflow for runs that reference it.
   * @returns the workflow with its stored name
   */
  async publish(plan: WorkflowPlan): Promise<WorkflowPlan> {
    const published = { ...plan, name: `${this.label}-${plan.name}` };
    const { preferred } = this;
    const body = definitionOf(published);
    const publish = () => this.client.call('POST', '/v1/workflows?publish=true', body, preferred);
    const { status } = await until(`the workflow ${published.name} is stored`, publish);
    // An earlier attempt stored it, but its response was late.
    if (status !== 201 && status !== 409) throw new Error(`${published.name} was answered with ${status}`);
    this.workflows.add(published.name);
    return published;
  }

  /**
   * Submits a run until it is accepted.
   * @returns its id
   */
  async submit(
    plan: WorkflowPlan,
    { fleet = this.fleet, ...fields }: { fleet?: FleetName; capture?: object } = {},
  ): Promise<string> {
    for (;;) {
      const { key, body } = this.request(plan, { fleet, ...fields });
      const run = await this.client.submit(body, key, this.preferred);
      if (run) {
        this.submissions.push({ key, runs: [run] });
        return run;
      }
      // Nothing was accepted, but a run may exist: it has to end too.
      this.submissions.push({ key, runs: [] });
    }
  }

  /**
   * Submits the same request by many clients at once.
   * @returns the id that each of them received
   */
  async submitTogether(plan: WorkflowPlan, clients: number): Promise<string[]> {
    const { key, body } = this.request(plan, { fleet: this.fleet });
    const runIds = await Promise.all(
      Array.from({ length: clients }, (_, index) => this.client.submit(body, key, index % 2)),
    );
    const runs = runIds.filter((run) => run !== null);
    this.submissions.push({ key, runs });
    return runs;
  }

  /** Cancels a run, with retries. */
  async cancel(run: string): Promise<void> {
    this.cancelled.add(run);
    const cancel = () => this.client.call('POST', `/v1/runs/${run}/cancel`, undefined, this.preferred);
    await until(`the cancellation of run ${run} is requested`, cancel);
  }

  /** Dismisses a run that waits for a person, with retries. */
  async dismiss(run: string): Promise<void> {
    this.dismissed.add(run);
    const dismiss = () => this.client.call('POST', `/v1/runs/${run}/complete`, undefined, this.preferred);
    await until(`the run ${run} is dismissed`, dismiss);
  }

  /** The current runs of the case. Undefined while the database is unavailable. */
  runStates(): Promise<RunState[] | undefined> {
    return readRunStates(this.system.pool, this.label).catch(() => undefined);
  }

  /** Waits until the runs have this many events together, or have all ended. Answers questions meanwhile. */
  async waitForEvents(count: number, ms = END_MS): Promise<void> {
    await until(
      `the runs of ${this.label} have ${count} events`,
      async () => {
        const runs = await this.runStates();
        if (!runs) return false;
        for (const run of runs) this.answer(run);
        return (
          runs.reduce((sum, { events }) => sum + events, 0) >= count ||
          runs.every(({ status }) => terminalStatuses.has(status))
        );
      },
      ms,
      POLL_INTERVAL_MS,
    );
  }

  /**
   * Waits until a run has begun a step, or has ended.
   * @returns the worker of the run; undefined: no worker of the case
   */
  async waitForStep(run: string, step: number): Promise<ChaosWorker | undefined> {
    const { pool } = this.system;
    await until(`the run ${run} begins step ${step}`, () => hasStartedStep(pool, run, step), END_MS, POLL_INTERVAL_MS);
    return this.holderOf(run);
  }

  /** Waits until each of these runs has had this many attempts, or has ended. */
  async waitForAttempts(runs: readonly string[], attempts: number): Promise<void> {
    const isSo = ({ id, epoch, status }: RunState) =>
      !runs.includes(id) || epoch >= attempts || terminalStatuses.has(status);
    const areSo = async () => (await this.runStates())?.every(isSo) ?? false;
    await until(`${attempts} attempts were made at each run`, areSo, END_MS, POLL_INTERVAL_MS);
  }

  /** Waits until a worker has exited or was killed. */
  async waitForExit(worker: ChaosWorker): Promise<void> {
    await until(`${worker.name} ends`, () => !worker.isAlive, END_MS);
  }

  /** Waits until the system has recorded that runs of a workflow were healed. */
  async waitForHealedRun({ name }: WorkflowPlan): Promise<void> {
    await until(`the healing of ${name} is recorded`, () => isHealedRunStored(this.system.pool, name));
  }

  /** Current owner of a run. */
  async holderOf(run: string): Promise<ChaosWorker | undefined> {
    const worker = (await this.runStates())?.find(({ id }) => id === run)?.worker;
    return this.workers.find(({ name }) => name === worker);
  }

  /** Waits for a fixed time, to check that nothing happens meanwhile. */
  async pause(ms: number): Promise<void> {
    await pause(ms);
  }

  /**
   * Waits until every run has ended. Answers questions and resumes stopped processes meanwhile, because a failpoint
   * order may remain.
   * @returns true when all runs ended
   */
  async waitForAllRuns(ms: number): Promise<boolean> {
    return until(
      'all runs have ended',
      async () => {
        for (const sleeper of [...this.workers, ...this.system.replicas]) sleeper.wake();
        const runs = await this.runStates();
        if (!runs) return false;
        for (const run of runs) this.answer(run);
        return runs.every(({ status }) => terminalStatuses.has(status));
      },
      ms,
      POLL_INTERVAL_MS,
    ).then(
      () => true,
      () => false,
    );
  }

  /**
   * Waits for a condition and answers questions meanwhile.
   * @param runId the run that produces the condition; the wait ends with it
   * @returns true when the condition was met
   */
  async waitUntil(isMet: () => boolean, ms: number, runId?: string): Promise<boolean> {
    let lastPollAt = -Infinity;
    return until(
      'the condition is met',
      async () => {
        if (isMet()) return true;
        if (performance.now() - lastPollAt < QUESTION_POLL_INTERVAL_MS) return false;
        lastPollAt = performance.now();
        const runs = (await this.runStates()) ?? [];
        for (const run of runs) this.answer(run);
        return isMet() || runs.some(({ id, status }) => id === runId && terminalStatuses.has(status));
      },
      ms,
      50,
    ).then(isMet, () => false);
  }

  /** All facts of the case. */
  async facts(): Promise<CaseFacts> {
    const { pool } = this.system;
    const runs = await readRuns(pool, this.label, this.steps);
    return {
      runs,
      events: await readEvents(pool, this.label),
      traces: await this.ledger.tracesOf(runs.map(({ id }) => id)),
      repairs: await readRepairs(pool, [...this.workflows]),
      cachedActions: await readCachedActions(pool, this.label),
      submissions: this.submissions,
      actions: { cancelled: this.cancelled, dismissed: this.dismissed, mayFail: this.mayFail, drained: this.drained },
      remainingProcesses: await killRemainingProcesses(await this.endedWorkers()),
    };
  }

  /** Names of workers of the case that have ended, including those of a controller. */
  private async endedWorkers(): Promise<Set<string>> {
    const terminalStatuses = this.workers.filter(({ isAlive }) => !isAlive).map(({ name }) => name);
    return new Set([
      ...terminalStatuses,
      ...(this.controllers.length > 0 ? await workersOf(this.system.pool, 'managed') : []),
    ]);
  }

  private request(plan: WorkflowPlan, fields: object): { key: string; body: object } {
    const key = `${this.label}/${++this.keys}`;
    this.steps.set(key, stepsOf(plan));
    const labels = { case: this.label, key };
    const workflowRef = this.workflows.has(plan.name) ? { workflow: plan.name } : { definition: definitionOf(plan) };
    const inputs = { site: this.system.siteUrl };
    return { key, body: { ...workflowRef, inputs, labels, capture: { screenshots: 'none' }, ...fields } };
  }

  /** Answers the question of a run according to the ledger of the site; one answer at a time. */
  private answer({ id, status, questionStep }: RunState): void {
    if (status !== 'awaiting_user' || questionStep === null || this.answering.has(id)) return;
    const answering = this.answerQuestion(id)
      // No replica received the answer: it is repeated.
      .catch(() => undefined)
      .finally(() => this.answering.delete(id));
    this.answering.set(id, answering);
  }

  private async answerQuestion(run: string): Promise<void> {
    const question = (await this.client.call('GET', `/v1/runs/${run}`, undefined, this.preferred))?.body.question;
    if (!question) return;
    const { step, key } = question;
    const traces = await this.ledger.tracesOf([run]);
    const choice = traces.some((trace) => trace.step === step) ? 'continue' : 'retry';
    const status = await this.client.post(`/v1/runs/${run}/answer`, { question: key, choice }, this.preferred);
    if (status === 200) this.answers += 1;
    // It can take a moment until the question is closed.
    await pause(300);
  }
}
