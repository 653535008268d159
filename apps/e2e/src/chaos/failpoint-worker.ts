import { until } from '../harness/poll-until.ts';
import type { LedgerReader } from './checks/site-ledger.ts';
import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './checks/stored-run.ts';
import { violationsOf, type Violation } from './checks/chaos-invariants.ts';
import type { Hand } from './system/worker-process.ts';
import type { House } from './system/system.ts';
import { firedIn } from './system/fired-failpoint.ts';
import { passageOf, type Passage } from './report/failpoint-coverage.ts';
import { Dice } from './plan/seeded-random.ts';
import type { CasePlan } from './plan/case-plan.ts';
import { END_MS, Scene } from './case-runner.ts';

/** Milliseconds that a worker has to put down what others have taken from it. */
const IDLE_MS = 10_000;
/** Workers that stay for the next case: to start one takes longer than most of what it does. */
const KEPT = 2;

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
  /** The fault that was played in its place, because the house cannot break so; null: it was itself. */
  readonly playedAs: string | null;
  readonly variation: string;
  readonly surface: string;
  readonly house: string;
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

/** Plays one case in a house, mends everything, waits for the runs, and looks at what is left. It never throws. */
export async function carryOut(house: House, plan: CasePlan, seed: string, ledger: LedgerReader): Promise<CaseResult> {
  const began = performance.now();
  const { index, fault, variation, surface } = plan;
  const dice = new Dice(`${seed}/case/${index}`);
  const scene = new Scene(house, surface, `c${index}`, ledger);
  const livesBefore = house.replicas.map(({ lives }) => lives.length);
  const saidBefore = house.replicas.map(({ said }) => said);
  const violations: Violation[] = [];
  const problem = (invariant: string) => (thrown: unknown) => {
    const sentence = thrown instanceof Error ? thrown.message : String(thrown);
    violations.push({ invariant, sentence });
  };
  house.siteGate.delayMs = surface === 'http' ? dice.whole(0, 20) : 0;
  await plan.play({ scene, dice, surface }).catch(problem('the fault can be played'));
  await mend(scene).catch(problem('everything can be mended'));
  await scene.allEnded(END_MS);
  await leave(scene, dice).catch(problem('every process ends by itself and leaves nothing behind'));
  const facts = await scene.facts().catch((thrown: unknown) => {
    problem('what happened can be read')(thrown);
    return null;
  });
  if (facts) violations.push(...violationsOf(facts));
  const programs = [
    ...scene.hands.map(({ program }) => program),
    ...scene.others,
    ...house.replicas.flatMap(({ lives }, at) => lives.slice(Math.max(0, (livesBefore[at] ?? 0) - 1))),
  ];
  const runs = facts?.runs ?? [];
  const result: CaseResult = {
    index,
    fault,
    playedAs: scene.playedAs,
    variation,
    surface,
    house: house.name,
    ms: Math.round(performance.now() - began),
    ends: Object.fromEntries([...Map.groupBy(runs, ({ status }) => status)].map(([status, of]) => [status, of.length])),
    takeovers: runs.filter(({ epoch }) => epoch > 1).length,
    answers: scene.answers,
    fired: [
      ...firedIn([...scene.hands.map(({ program }) => program), ...scene.others].flatMap(({ lines }) => lines)),
      ...house.replicas.flatMap((replica, at) => replica.firedSince(saidBefore[at] ?? 0)),
    ].map((fired) => passageOf(fired, runs)),
    violations,
    evidence: facts ? evidenceOf(facts, violations) : {},
    logs:
      violations.length === 0
        ? {}
        : Object.fromEntries(programs.map(({ name, pid, lines }) => [`${name} ${pid}`, lines.slice(-400)])),
  };
  const over = runs.map(({ id }) => id);
  await house.forget(over);
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
async function mend(scene: Scene): Promise<void> {
  for (const replica of scene.house.replicas) replica.wake();
  for (const hand of scene.hands) {
    hand.wake();
    hand.gate.mode = 'open';
    hand.gate.delayMs = 0;
    hand.gate.preferred = 0;
  }
  await scene.house.mend();
  const isSound = scene.hands.some(({ isAlive, isArmed }) => isAlive && !isArmed);
  if (!isSound) await scene.hire();
}

/** Has the workers of the case end, but for a few that the next one may use. */
async function leave(scene: Scene, dice: Dice): Promise<void> {
  const { hands: kept } = scene.house;
  const idle = await Promise.all(scene.hands.map((hand) => isIdleSoon(hand)));
  const staying = scene.hands.filter((hand, at) => kept.has(hand) && idle[at] && dice.chance(0.85)).slice(0, KEPT);
  const leaving = scene.hands.filter((hand) => !staying.includes(hand));
  for (const hand of leaving) kept.delete(hand);
  const ended = await Promise.allSettled([
    ...leaving.map((hand) => hand.stop()),
    ...scene.others.map((other) => other.stop()),
  ]);
  const failed = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  if (failed.length > 0) throw new Error(failed.join('; '));
}

/** Whether it lives and has put down what it had in hand, zombies too: what they were going to do they have done then. */
function isIdleSoon(hand: Hand): Promise<boolean> {
  if (!hand.isAlive) return Promise.resolve(false);
  return until('it is idle', () => hand.isIdle, IDLE_MS).then(
    () => hand.isAlive,
    () => false,
  );
}
