import { until } from '../harness/poll-until.ts';
import type { LedgerReader } from './checks/site-ledger.ts';
import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './checks/stored-run.ts';
import { violationsOf, type Violation } from './checks/chaos-invariants.ts';
import type { ChaosWorker } from './system/worker-process.ts';
import type { ChaosSystem } from './system/system.ts';
import { firedIn } from './system/fired-failpoint.ts';
import { hitOf, type Hit } from './report/failpoint-coverage.ts';
import { SeededRandom } from './plan/seeded-random.ts';
import type { CasePlan } from './case-plan.ts';
import { END_MS, CaseContext } from './case-context.ts';

/** Milliseconds for a worker to drop runs that others have taken over. */
const IDLE_MS = 10_000;
/** Workers that stay for the next case: a start takes longer than most of the work. */
const MAX_REUSED_WORKERS = 2;

/** All facts of one run. */
export interface Evidence {
  readonly run: RunFacts;
  readonly events: readonly EventFacts[];
  readonly traces: readonly TraceFacts[];
}

export interface CaseResult {
  readonly index: number;
  readonly fault: string;
  /** The substitute fault, when the system does not support the planned one; null: none. */
  readonly substitute: string | null;
  readonly variation: string;
  readonly surface: string;
  readonly system: string;
  readonly ms: number;
  /** Number of runs by final status. */
  readonly ends: Readonly<Record<string, number>>;
  /** Runs with more than one attempt. */
  readonly takeovers: number;
  readonly answers: number;
  /** Executed failpoint orders. */
  readonly fired: readonly Hit[];
  readonly violations: readonly Violation[];
  /** Runs with violations, with all their facts. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** Last output of each process, when there are violations. */
  readonly logs: Readonly<Record<string, readonly string[]>>;
}

/** Runs one case in a system, restores everything, waits for the runs, and checks the result. Never throws. */
export async function runCase(
  system: ChaosSystem,
  plan: CasePlan,
  seed: string,
  ledger: LedgerReader,
): Promise<CaseResult> {
  const startedAt = performance.now();
  const { index, fault, variation, surface } = plan;
  const random = new SeededRandom(`${seed}/case/${index}`);
  const context = new CaseContext(system, surface, `c${index}`, ledger);
  const livesBefore = system.replicas.map(({ lives }) => lives.length);
  const linesBefore = system.replicas.map(({ lineCount }) => lineCount);
  const violations: Violation[] = [];
  const problem = (invariant: string) => (error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error);
    violations.push({ invariant, sentence });
  };
  system.siteGate.delayMs = surface === 'http' ? random.integer(0, 20) : 0;
  await plan.inject({ context, random, surface }).catch(problem('the fault can be injected'));
  await restore(context).catch(problem('everything can be restored'));
  await context.waitForAllRuns(END_MS);
  await stopWorkers(context, random).catch(problem('every process exits by itself and leaves nothing behind'));
  const facts = await context.facts().catch((error: unknown) => {
    problem('the facts of the case can be read')(error);
    return null;
  });
  if (facts) violations.push(...violationsOf(facts));
  const programs = [
    ...context.workers.map(({ program }) => program),
    ...context.controllers,
    ...system.replicas.flatMap(({ lives }, index) => lives.slice(Math.max(0, (livesBefore[index] ?? 0) - 1))),
  ];
  const runs = facts?.runs ?? [];
  const result: CaseResult = {
    index,
    fault,
    substitute: context.substitute,
    variation,
    surface,
    system: system.name,
    ms: Math.round(performance.now() - startedAt),
    ends: Object.fromEntries(
      [...Map.groupBy(runs, ({ status }) => status)].map(([status, statusRuns]) => [status, statusRuns.length]),
    ),
    takeovers: runs.filter(({ epoch }) => epoch > 1).length,
    answers: context.answers,
    fired: [
      ...firedIn(
        [...context.workers.map(({ program }) => program), ...context.controllers].flatMap(({ lines }) => lines),
      ),
      ...system.replicas.flatMap((replica, index) => replica.firedSince(linesBefore[index] ?? 0)),
    ].map((fired) => hitOf(fired, runs)),
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

/** All facts of the runs that the violations name. */
function evidenceOf({ runs, events, traces }: CaseFacts, violations: readonly Violation[]): Record<string, Evidence> {
  const affectedRuns = runs.filter(({ id }) => violations.some(({ sentence }) => sentence.includes(id)));
  return Object.fromEntries(
    affectedRuns.map((run) => [
      run.id,
      {
        run,
        events: events.filter((event) => event.run === run.id),
        traces: traces.filter((trace) => trace.run === run.id),
      },
    ]),
  );
}

/** Waits until everything is available and a worker without failpoints can take the runs. */
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

/** Stops the workers of the case, except for a few that the next one may reuse. */
async function stopWorkers(context: CaseContext, random: SeededRandom): Promise<void> {
  const { workers: reusableWorkers } = context.system;
  const idle = await Promise.all(context.workers.map((worker) => isIdleSoon(worker)));
  const staying = context.workers
    .filter((worker, index) => reusableWorkers.has(worker) && idle[index] && random.chance(0.85))
    .slice(0, MAX_REUSED_WORKERS);
  const leaving = context.workers.filter((worker) => !staying.includes(worker));
  for (const worker of leaving) reusableWorkers.delete(worker);
  const outcomes = await Promise.allSettled([
    ...leaving.map((worker) => worker.stop()),
    ...context.controllers.map((controller) => controller.stop()),
  ]);
  const failed = outcomes.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  if (failed.length > 0) throw new Error(failed.join('; '));
}

/** True when the worker is alive and has dropped its work, including runs that it lost. */
function isIdleSoon(worker: ChaosWorker): Promise<boolean> {
  if (!worker.isAlive) return Promise.resolve(false);
  return until('it is idle', () => worker.isIdle, IDLE_MS).then(
    () => worker.isAlive,
    () => false,
  );
}
