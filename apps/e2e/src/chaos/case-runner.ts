import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../harness/child-program.ts';
import { until } from '../harness/poll-until.ts';
import type { CaseFacts, Drained } from './checks/stored-run.ts';
import type { LedgerReader } from './checks/site-ledger.ts';
import {
  glance,
  hasBegun,
  isHealedNoted,
  readEvents,
  readRemembered,
  readRepairs,
  readRuns,
  workersOf,
  type RunGlance,
} from './checks/read-run.ts';
import { Door } from './retrying-client.ts';
import { Hand, type HandOptions } from './system/worker-process.ts';
import type { House } from './system/system.ts';
import { endedWith } from './system/process-cleanup.ts';
import type { FleetName } from './system/chaos-settings.ts';
import { definitionOf, stepsOf, type StepFacts, type WorkflowPlan } from './plan/random-workflow.ts';

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Milliseconds between two looks at the runs: each costs the database what a run does. */
const LOOK_MS = 100;

/** Milliseconds that a run has to come to its end, or so far: only what never does takes so long, even on a machine that is busy. */
export const END_MS = 120_000;

/** Milliseconds between two looks for questions, while something else is waited for. */
const ASKED_MS = 300;

/** What one case works with: its runs, its workers, and what it did to them. */
export class Scene {
  readonly house: House;
  readonly surface: 'http' | 'browser';
  readonly door: Door;
  readonly hands: Hand[] = [];
  /** Further processes of the case. */
  readonly others: Program[] = [];
  readonly cancelled = new Set<string>();
  readonly dismissed = new Set<string>();
  /** Questions that were answered. */
  answers = 0;
  /** The worker that is told to end, where that is all that is done. */
  drained: Drained | null = null;
  /** Codes with which a run may fail, because of what is done to it. */
  readonly mayFail: string[] = [];
  /** The fault that was played in the place of the one that was dealt: its house cannot break so. */
  playedAs: string | null = null;
  /** Which replica a client asks first. */
  preferred = 0;
  private readonly label: string;
  private readonly ledger: LedgerReader;
  private readonly steps = new Map<string, readonly StepFacts[]>();
  private readonly workflows = new Set<string>();
  private readonly submissions: { key: string; runs: string[] }[] = [];
  private readonly answering = new Map<string, Promise<void>>();
  private keys = 0;
  private hired = 0;
  private isAlone = false;

  constructor(house: House, surface: 'http' | 'browser', label: string, ledger: LedgerReader) {
    this.house = house;
    this.surface = surface;
    this.door = new Door(house);
    this.label = label;
    this.ledger = ledger;
  }

  /** Takes a worker that is there already, or starts one. */
  async hire(options: Pick<HandOptions, 'failpoints' | 'env' | 'slots' | 'preferred'> = {}): Promise<Hand> {
    const isPlain = Object.values(options).every((value) => value === undefined) && !this.isAlone;
    const there = [...this.house.hands].find((hand) => hand.fleet === this.fleet && !this.hands.includes(hand));
    if (isPlain && there) {
      this.hands.push(there);
      return there;
    }
    // No other house on this machine has one of this name: what a worker leaves behind is known by it.
    const name = `${this.label}-${++this.hired}-${this.house.tag}`;
    const { fleet, surface } = this;
    const hand = await Hand.start(this.house, { ...options, name, fleet, surface });
    if (isPlain) this.house.hands.add(hand);
    this.hands.push(hand);
    return hand;
  }

  /** From here on nobody but workers of this case takes its runs. */
  alone(): void {
    this.isAlone = true;
  }

  /** The fleet of the case. */
  get fleet(): FleetName {
    return this.isAlone ? 'solo' : this.surface;
  }

  /** Keeps a workflow, for runs that name it. @returns the same under the name that it has there */
  async publish(plan: WorkflowPlan): Promise<WorkflowPlan> {
    const published = { ...plan, name: `${this.label}-${plan.name}` };
    const { preferred } = this;
    const body = definitionOf(published);
    const publish = () => this.door.call('POST', '/v1/workflows?publish=true', body, preferred);
    const { status } = await until(`the workflow ${published.name} is kept`, publish);
    // One that was kept already came with an answer that was late.
    if (status !== 201 && status !== 409) throw new Error(`${published.name} was answered with ${status}`);
    this.workflows.add(published.name);
    return published;
  }

  /** Submits a run until somebody has accepted it. @returns its id */
  async submit(
    plan: WorkflowPlan,
    { fleet = this.fleet, ...more }: { fleet?: FleetName; capture?: object } = {},
  ): Promise<string> {
    for (;;) {
      const { key, body } = this.request(plan, { fleet, ...more });
      const run = await this.door.submit(body, key, this.preferred);
      if (run) {
        this.submissions.push({ key, runs: [run] });
        return run;
      }
      // Nothing was accepted, but something may be there all the same: then it has to end, too.
      this.submissions.push({ key, runs: [] });
    }
  }

  /** Submits the same request by many clients at once. @returns the id each of them was told */
  async submitTogether(plan: WorkflowPlan, clients: number): Promise<string[]> {
    const { key, body } = this.request(plan, { fleet: this.fleet });
    const told = await Promise.all(
      Array.from({ length: clients }, (_, index) => this.door.submit(body, key, index % 2)),
    );
    const runs = told.filter((run) => run !== null);
    this.submissions.push({ key, runs });
    return runs;
  }

  /** Asks a run to stop, however often it takes. */
  async cancel(run: string): Promise<void> {
    this.cancelled.add(run);
    const cancel = () => this.door.call('POST', `/v1/runs/${run}/cancel`, undefined, this.preferred);
    await until(`the run ${run} is asked to stop`, cancel);
  }

  /** Ends a run that waits for a person, however often it has to be asked for. */
  async dismiss(run: string): Promise<void> {
    this.dismissed.add(run);
    const dismiss = () => this.door.call('POST', `/v1/runs/${run}/complete`, undefined, this.preferred);
    await until(`the run ${run} is dismissed`, dismiss);
  }

  /** The runs of the case now; undefined while the database is away. */
  glance(): Promise<RunGlance[] | undefined> {
    return glance(this.house.pool, this.label).catch(() => undefined);
  }

  /** Waits until the runs have so many events together, or have all ended, and answers questions on the way. */
  async events(count: number, ms = END_MS): Promise<void> {
    await until(
      `the runs of ${this.label} have ${count} events`,
      async () => {
        const runs = await this.glance();
        if (!runs) return false;
        for (const run of runs) this.answer(run);
        return (
          runs.reduce((sum, { events }) => sum + events, 0) >= count || runs.every(({ status }) => ended.has(status))
        );
      },
      ms,
      LOOK_MS,
    );
  }

  /** Waits until a run has begun a step, or has ended. @returns the worker that has it; undefined: nobody of the case */
  async begins(run: string, step: number): Promise<Hand | undefined> {
    const { pool } = this.house;
    await until(`the run ${run} begins step ${step}`, () => hasBegun(pool, run, step), END_MS, LOOK_MS);
    return this.holderOf(run);
  }

  /** Waits until so many attempts were made at each of these runs, or it has ended. */
  async tried(runs: readonly string[], attempts: number): Promise<void> {
    const isSo = ({ id, epoch, status }: RunGlance) => !runs.includes(id) || epoch >= attempts || ended.has(status);
    const areSo = async () => (await this.glance())?.every(isSo) ?? false;
    await until(`${attempts} attempts were made at each run`, areSo, END_MS, LOOK_MS);
  }

  /** Waits until a worker has ended by itself, or was killed. */
  async ends(hand: Hand): Promise<void> {
    await until(`${hand.name} ends`, () => !hand.isAlive, END_MS);
  }

  /** Waits until the house has noted that runs of a workflow were healed. */
  async healedNoted({ name }: WorkflowPlan): Promise<void> {
    await until(`it is noted that ${name} was healed`, () => isHealedNoted(this.house.pool, name));
  }

  /** Who has a run now. */
  async holderOf(run: string): Promise<Hand | undefined> {
    const worker = (await this.glance())?.find(({ id }) => id === run)?.worker;
    return this.hands.find(({ name }) => name === worker);
  }

  /** Waits for a while: what is proved is that nothing happens meanwhile. */
  async while(ms: number): Promise<void> {
    await pause(ms);
  }

  /**
   * Waits until every run has ended, answers questions on the way, and lets nobody stand still: an order may be left.
   * @returns whether all did
   */
  async allEnded(ms: number): Promise<boolean> {
    return until(
      'all runs have ended',
      async () => {
        for (const sleeper of [...this.hands, ...this.house.replicas]) sleeper.wake();
        const runs = await this.glance();
        if (!runs) return false;
        for (const run of runs) this.answer(run);
        return runs.every(({ status }) => ended.has(status));
      },
      ms,
      LOOK_MS,
    ).then(
      () => true,
      () => false,
    );
  }

  /**
   * Waits until something is so, and answers questions on the way.
   * @param by the run that is to bring it about: once that has ended nobody waits any longer
   * @returns whether it came to be
   */
  async sees(is: () => boolean, ms: number, by?: string): Promise<boolean> {
    let looked = -Infinity;
    return until(
      'it is so',
      async () => {
        if (is()) return true;
        if (performance.now() - looked < ASKED_MS) return false;
        looked = performance.now();
        const runs = (await this.glance()) ?? [];
        for (const run of runs) this.answer(run);
        return is() || runs.some(({ id, status }) => id === by && ended.has(status));
      },
      ms,
      50,
    ).then(is, () => false);
  }

  /** All that is known of the case. */
  async facts(): Promise<CaseFacts> {
    const { pool } = this.house;
    const runs = await readRuns(pool, this.label, this.steps);
    return {
      runs,
      events: await readEvents(pool, this.label),
      traces: await this.ledger.tracesOf(runs.map(({ id }) => id)),
      repairs: await readRepairs(pool, [...this.workflows]),
      remembered: await readRemembered(pool, this.label),
      submissions: this.submissions,
      doings: { cancelled: this.cancelled, dismissed: this.dismissed, mayFail: this.mayFail, drained: this.drained },
      left: await endedWith(await this.gone()),
    };
  }

  /** Names of workers of the case that have ended, a controller's too. */
  private async gone(): Promise<Set<string>> {
    const ended = this.hands.filter(({ isAlive }) => !isAlive).map(({ name }) => name);
    return new Set([...ended, ...(this.others.length > 0 ? await workersOf(this.house.pool, 'managed') : [])]);
  }

  private request(plan: WorkflowPlan, more: object): { key: string; body: object } {
    const key = `${this.label}/${++this.keys}`;
    this.steps.set(key, stepsOf(plan));
    const labels = { case: this.label, key };
    const what = this.workflows.has(plan.name) ? { workflow: plan.name } : { definition: definitionOf(plan) };
    const inputs = { site: this.house.siteUrl };
    return { key, body: { ...what, inputs, labels, capture: { screenshots: 'none' }, ...more } };
  }

  /** Answers the question of a run by what the site has seen, once at a time. */
  private answer({ id, status, asked }: RunGlance): void {
    if (status !== 'awaiting_user' || asked === null || this.answering.has(id)) return;
    const answering = this.say(id)
      // Nobody has heard it: it is asked again.
      .catch(() => undefined)
      .finally(() => this.answering.delete(id));
    this.answering.set(id, answering);
  }

  private async say(run: string): Promise<void> {
    const question = (await this.door.call('GET', `/v1/runs/${run}`, undefined, this.preferred))?.body.question;
    if (!question) return;
    const { step, key } = question;
    const traces = await this.ledger.tracesOf([run]);
    const choice = traces.some((trace) => trace.step === step) ? 'continue' : 'retry';
    const status = await this.door.tell(`/v1/runs/${run}/answer`, { question: key, choice }, this.preferred);
    if (status === 200) this.answers += 1;
    // It may take a moment until the question is gone.
    await pause(300);
  }
}
