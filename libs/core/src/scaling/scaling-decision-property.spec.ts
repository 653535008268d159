import { NO_BACKOFF, type BackoffState } from './creation-backoff.ts';
import { decideScaling } from './scaling-decision.ts';
import type { ScalingConfig, ScalingWorker } from './scaling-observation.ts';

/** A small generator with a seed (mulberry32), so that what fails can be run again. */
function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return { upTo: (most: number) => Math.floor(next() * (most + 1)), isChance: (part: number) => next() < part };
}
type Random = ReturnType<typeof random>;

const start = 1_800_000_000_000;

/** Simulates a fleet: workers become ready, take runs, end, drain and fail. */
class SimulatedFleet {
  now = start;
  waiting = 0;
  backoff: BackoffState = NO_BACKOFF;
  workers: ScalingWorker[] = [];
  #createdCount = 0;
  #templates = 1;
  readonly config: ScalingConfig;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    const min = random.upTo(3);
    this.config = {
      minWorkers: min,
      maxWorkers: min + random.upTo(6),
      idleSlots: random.upTo(4),
      slots: 1 + random.upTo(3),
      cooldownSeconds: random.upTo(20),
      paused: random.isChance(0.1),
    };
  }

  get template(): string {
    return `t${this.#templates}`;
  }

  /** One second: decides, checks the invariants, obeys. Returns how many decisions there were. */
  tick(): number {
    this.now += 1000;
    const observation = { config: this.config, waiting: this.waiting, workers: this.workers, template: this.template };
    const { decisions, next } = decideScaling(observation, this.now, this.backoff);
    expect(decideScaling(observation, this.now, this.backoff).decisions).toEqual(decisions);
    this.backoff = next;
    for (const decision of decisions) {
      if (decision.action === 'create') for (let n = 0; n < decision.count; n += 1) this.#create();
      else {
        const worker = this.workers.find(({ name }) => name === decision.worker);
        expect(worker).toMatchObject({ managed: true, busy: 0 });
        if (decision.action === 'drain') expect(worker?.state).toBe('ready');
        if (decision.reason === 'not-needed') {
          expect(worker?.state).toBe('starting');
          expect(decisions.filter(({ action }) => action === 'create')).toEqual([]);
        }
        this.#set(decision.worker, decision.action === 'drain' ? { state: 'draining', stateSince: this.now } : null);
      }
    }
    const managed = this.workers.filter((worker) => worker.managed);
    if (decisions.some(({ action }) => action === 'create'))
      expect(managed.length).toBeLessThanOrEqual(this.config.maxWorkers);
    if (decisions.some(({ action, reason }) => action === 'drain' && reason !== 'old-template')) {
      expect(managed.filter(({ state }) => state === 'ready').length).toBeGreaterThanOrEqual(this.config.minWorkers);
    }
    return decisions.length;
  }

  /** Workers start, take runs and stop, as decided. */
  settle() {
    for (const { name, state, busy, slots } of [...this.workers]) {
      if (state === 'starting') this.#set(name, { state: 'ready', stateSince: this.now, idleSince: this.now });
      if (state === 'draining' && busy === 0) this.#set(name, null);
      const assigned = state === 'ready' && !this.config.paused ? Math.min(this.waiting, slots - busy) : 0;
      if (assigned > 0) {
        this.waiting -= assigned;
        this.#set(name, { busy: busy + assigned, idleSince: null });
      }
    }
  }

  /** Runs come and end, workers join, die, get stuck. */
  disturb() {
    if (this.#random.isChance(0.3)) this.waiting += this.#random.upTo(6);
    if (this.#random.isChance(0.03)) this.#create(false);
    if (this.#random.isChance(0.03)) this.#templates += 1;
    for (const { name, busy, state } of [...this.workers]) {
      if (busy > 0 && this.#random.isChance(0.4)) this.#end(name, busy);
      if (this.#random.isChance(0.03)) this.#set(name, null);
      else if (this.#random.isChance(0.03) && state === 'ready')
        this.#set(name, { state: 'disconnected', stateSince: this.now });
    }
  }

  finishRuns() {
    this.waiting = 0;
    for (const { name, busy } of this.workers)
      while (this.#busy(name) > 0) this.#end(name, Math.min(busy, this.#busy(name)));
  }

  #busy(name: string) {
    return this.workers.find((worker) => worker.name === name)?.busy ?? 0;
  }

  #end(name: string, busy: number) {
    this.#set(name, busy > 1 ? { busy: busy - 1 } : { busy: 0, idleSince: this.now });
  }

  #create(managed = true) {
    this.#createdCount += 1;
    this.workers.push({
      name: `w${this.#createdCount}`,
      state: 'starting',
      slots: this.config.slots,
      busy: 0,
      idleSince: null,
      startedAt: this.now,
      stateSince: null,
      managed,
      template: this.template,
    });
  }

  #set(name: string, change: Partial<ScalingWorker> | null) {
    this.workers = this.workers.flatMap((worker) =>
      worker.name !== name ? [worker] : change === null ? [] : [{ ...worker, ...change }],
    );
  }
}

const seeds = Array.from({ length: 80 }, (_, n) => n + 1);

test('random fleets never exceed max, never drain below min, and never drain a busy worker', () => {
  for (const seed of seeds) {
    const fleet = new SimulatedFleet(random(seed));
    for (let second = 0; second < 80; second += 1) {
      fleet.disturb();
      fleet.tick();
      if (second % 2 === 0) fleet.settle();
    }
  }
});

test('random fleets converge, and without work to exactly the workers that min and idle require', () => {
  for (const seed of seeds) {
    const fleet = new SimulatedFleet(random(seed));
    for (let second = 0; second < 30; second += 1) {
      fleet.disturb();
      fleet.tick();
      fleet.settle();
    }
    const runSeconds = (seconds: number) => {
      let decisions = 0;
      for (let second = 0; second < seconds; second += 1) {
        decisions += fleet.tick();
        fleet.settle();
      }
      return decisions;
    };
    runSeconds(400);
    expect([seed, runSeconds(60)]).toEqual([seed, 0]);
    fleet.finishRuns();
    runSeconds(120);
    expect([seed, runSeconds(60)]).toEqual([seed, 0]);
    if (!fleet.config.paused) {
      const outdated = fleet.workers.filter(({ managed, template }) => managed && template !== fleet.template);
      expect([seed, outdated]).toEqual([seed, []]);
    }
    const managed = fleet.workers.filter((worker) => worker.managed && worker.state !== 'disconnected').length;
    const { minWorkers: min, maxWorkers: max, idleSlots: idle, slots, paused } = fleet.config;
    // Workers that were started elsewhere are warm, too.
    const externalSlots = fleet.workers.filter((worker) => !worker.managed && worker.state === 'ready').length * slots;
    const expectedCount = Math.min(max, Math.max(min, Math.ceil((idle - externalSlots) / slots)));
    expect([seed, managed]).toEqual([seed, paused ? Math.min(managed, min) : expectedCount]);
  }
});
