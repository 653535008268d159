import { until } from '../harness/poll-until.ts';
import type { LedgerReader } from './checks/site-ledger.ts';
import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './checks/stored-run.ts';
import { violationsOf, type Violation } from './checks/chaos-invariants.ts';
import type { ChaosWorker } from './system/worker-process.ts';
import type { ChaosSystem } from './system/system.ts';
import { firedIn } from './system/fired-failpoint.ts';
import { passageOf, type Passage } from './report/failpoint-coverage.ts';
import { SeededRandom } from './plan/seeded-random.ts';
import type { CasePlan } from './plan/case-plan.ts';
import { END_MS, CaseContext } from './case-runner.ts';

/** Milliseconds that a worker has to put down what others have taken from it. */
const IDLE_MS = 10_000;
/** Workers that stay for the next case: to start one takes longer than most of what it does. */
const MAX_REUSED_WORKERS = 2;

/** All that is known of one run. */
export interface Evidence {
  readonly run: RunFacts;
  readonly events: readonly EventFacts[];
  readonly traces: readonly TraceFacts[];
}

/** What became of a case. */
export interface CaseResult {
  readonly index: number;
  readonly fault: string;
  /** The fault that was played in its place, because the system cannot break so; null: it was itself. */
  readonly playedAs: string | null;
  readonly variation: string;
  readonly surface: string;
  readonly system: string;
  readonly ms: number;
  /** How many runs came to which end. */
  readonly ends: Readonly<Record<string, number>>;
  /** Runs that more than one attempt was made at. */
  readonly takeovers: number;
  readonly answers: number;
  /** Orders that were carried out. */
  readonly fired: readonly Passage[];
  readonly violations: readonly Violation[];
  /** Runs that something is wrong with, with all that is known of them. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** Last words of each process, when something is wrong. */
  readonly logs: Readonly<Record<string, readonly string[]>>;
}

/** Plays one case in a system, mends everything, waits for the runs, and looks at what is left. It never throws. */
export async function runCase(
  system: ChaosSystem,
  plan: CasePlan,
  seed: string,
  ledger: LedgerReader,
): Promise<CaseResult> {
  const began = performance.now();
  const { index, fault, variation, surface } = plan;
  const random = new SeededRandom(`${seed}/case/${index}`);
  const context = new CaseContext(system, surface, `c${index}`, ledger);
  const livesBefore = system.replicas.map(({ lives }) => lives.length);
  const linesBefore = system.replicas.map(({ lineCount: said }) => said);
  const violations: Violation[] = [];
  const problem = (invariant: string) => (error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error);
    violations.push({ invariant, sentence });
  };
  system.siteGate.delayMs = surface === 'http' ? random.whole(0, 20) : 0;
  await plan.play({ context, random, surface }).catch(problem('the fault can be played'));
  await restore(context).catch(problem('everything can be mended'));
  await context.waitForAllRuns(END_MS);
  await stopWorkers(context, random).catch(problem('every process ends by itself and leaves nothing behind'));
  const facts = await context.facts().catch((error: unknown) => {
    problem('what happened can be read')(error);
    return null;
  });
  if (facts) violations.push(...violationsOf(facts));
  const programs = [
    ...context.workers.map(({ program }) => program),
    ...context.others,
    ...system.replicas.flatMap(({ lives }, at) => lives.slice(Math.max(0, (livesBefore[at] ?? 0) - 1))),
  ];
  const runs = facts?.runs ?? [];
  const result: CaseResult = {
    index,
    fault,
    playedAs: context.playedAs,
    variation,
    surface,
    system: system.name,
    ms: Math.round(performance.now() - began),
    ends: Object.fromEntries([...Map.groupBy(runs, ({ status }) => status)].map(([status, of]) => [status, of.length])),
    takeovers: runs.filter(({ epoch }) => epoch > 1).length,
    answers: context.answers,
    fired: [
      ...firedIn([...context.workers.map(({ program }) => program), ...context.others].flatMap(({ lines }) => lines)),
      ...system.replicas.flatMap((replica, at) => replica.firedSince(linesBefore[at] ?? 0)),
    ].map((fired) => passageOf(fired, runs)),
    violations,
    evidence: facts ? evidenceOf(facts, violations) : {},
    logs:
      violations.length === 0
        ? {}
        : Object.fromEntries(programs.map(({ name, pid, lines }) => [`${name} ${pid}`, lines.slice(-400)])),
  };
  const over = runs.map(({ id }) => id);
  await system.forget(over);
  ledger.forget(over);
  return result;
}

/** All that is known of the runs that are named in what is wrong. */
function evidenceOf({ runs, events, traces }: CaseFacts, violations: readonly Violation[]): Record<string, Evidence> {
  const named = runs.filter(({ id }) => violations.some(({ sentence }) => sentence.includes(id)));
  return Object.fromEntries(
    named.map((run) => [
      run.id,
      {
        run,
        events: events.filter((event) => event.run === run.id),
        traces: traces.filter((trace) => trace.run === run.id),
      },
    ]),
  );
}

/** Everything is there again, and somebody who is not armed can take the runs. */
async function restore(context: CaseContext): Promise<void> {
  for (const replica of context.system.replicas) replica.wake();
  for (const worker of context.workers) {
    worker.wake();
    worker.gate.mode = 'open';
    worker.gate.delayMs = 0;
    worker.gate.preferred = 0;
  }
  await context.system.restore();
  const isSound = context.workers.some(({ isAlive, isArmed }) => isAlive && !isArmed);
  if (!isSound) await context.startWorker();
}

/** Has the workers of the case end, but for a few that the next one may use. */
async function stopWorkers(context: CaseContext, random: SeededRandom): Promise<void> {
  const { workers: kept } = context.system;
  const idle = await Promise.all(context.workers.map((worker) => isIdleSoon(worker)));
  const staying = context.workers
    .filter((worker, at) => kept.has(worker) && idle[at] && random.chance(0.85))
    .slice(0, MAX_REUSED_WORKERS);
  const leaving = context.workers.filter((worker) => !staying.includes(worker));
  for (const worker of leaving) kept.delete(worker);
  const ended = await Promise.allSettled([
    ...leaving.map((worker) => worker.stop()),
    ...context.others.map((other) => other.stop()),
  ]);
  const failed = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  if (failed.length > 0) throw new Error(failed.join('; '));
}

/** Whether it lives and has put down what it had in hand, zombies too: what they were going to do they have done then. */
function isIdleSoon(worker: ChaosWorker): Promise<boolean> {
  if (!worker.isAlive) return Promise.resolve(false);
  return until('it is idle', () => worker.isIdle, IDLE_MS).then(
    () => worker.isAlive,
    () => false,
  );
}
