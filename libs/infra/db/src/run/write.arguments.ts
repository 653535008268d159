import { column, jsonColumn } from '../column.ts';
import type { CheckpointWrite, RunWrite } from './run.write.ts';

/** The arguments of `WRITE_RUNS`, $1 to $36. */
export function writeArguments(writes: readonly RunWrite[]): string[] {
  const events = writes.flatMap(({ run, events = [] }) => events.map((event) => ({ run, event })));
  const checkpoints = writes.flatMap(checkpointsOf);
  return [
    column(writes.map(({ run }) => run)),
    column(writes.map(({ guard }) => guard.from.join(','))),
    column(writes.map(({ guard }) => guard.epoch)),
    column(writes.map(({ guard }) => guard.session)),
    column(writes.map(({ to }) => to)),
    column(writes.map(({ accept }) => accept !== undefined)),
    column(writes.map(({ claim, accept }) => claim?.leaseMs ?? accept?.leaseMs)),
    jsonColumn(writes.map(({ output }) => output)),
    column(writes.map(({ usedSteps }) => usedSteps)),
    column(writes.map(({ acted }) => acted?.steps)),
    column(writes.map(({ acted }) => acted?.byModel)),
    column(writes.map(({ currentStep }) => currentStep)),
    column(writes.map(({ events = [] }) => events.length)),
    column(writes.map(firstOf)),
    column(writes.map(({ events = [] }) => events.map(numberOf).findLast(isNumber))),
    JSON.stringify(writes.flatMap(restOf)),
    column(events.map(({ run }) => run)),
    column(events.map(({ event }) => numberOf(event))),
    column(events.map(({ event }) => event.type)),
    column(events.map(({ event }) => event.v)),
    column(events.map(({ event }) => event.level)),
    column(events.map(({ event }) => event.message)),
    jsonColumn(events.map(({ event }) => event.data)),
    column(events.map(({ event }) => event.at)),
    column(checkpoints.map(({ run }) => run)),
    column(checkpoints.map(({ step }) => step)),
    column(checkpoints.map(({ at }) => at)),
    column(checkpoints.map(({ status }) => status)),
    column(checkpoints.map(({ rung }) => rung)),
    jsonColumn(checkpoints.map(({ value }) => value)),
    jsonColumn(checkpoints.map(({ error }) => error)),
    column(checkpoints.map(({ telling }) => telling)),
    column(checkpoints.map(({ startedAt }) => startedAt)),
    column(checkpoints.map(({ finishedAt }) => finishedAt)),
    JSON.stringify(writes.flatMap(savedOf)),
    column(writes.flatMap(({ claim }) => claim?.session ?? [])),
  ];
}

type WrittenEvent = NonNullable<RunWrite['events']>[number];

/** The number that its worker gave an event; undefined when the house wrote it. */
const numberOf = (event: WrittenEvent): number | undefined => ('n' in event ? event.n : undefined);

const isNumber = (n: number | undefined) => n !== undefined;

/** Which event of its worker would be the next, as far as is known to who writes; undefined when it does not matter. */
const firstOf = ({ guard, events = [] }: RunWrite): number | undefined =>
  events.map(numberOf).find(isNumber) ?? (guard.ifN === undefined ? undefined : guard.ifN + 1);

/** What few writes have. */
function restOf({ run, guard, claim, release, lost, refused, ask, answer, error, cancel, used }: RunWrite) {
  const { dispatch, ifLeaseExpired, ifUnaccepted, ifUnacceptedMs, ifPlaced, ifAsked, ifCancelled } = guard;
  const rest = {
    ...{ dispatch, ifLeaseExpired, ifUnaccepted, ifUnacceptedMs, ifPlaced, ifAsked, ifCancelled },
    ...{ release, lost, refused, answer, error, cancel },
    newSession: claim?.session,
    worker: claim?.worker,
    claimedAt: claim?.at,
    question: ask?.question,
    askSeconds: ask?.seconds,
    usedCalls: used?.calls,
    usedTokens: used?.tokens,
    usedUsd: used?.usd,
  };
  return Object.values(rest).some((value) => value !== undefined) ? [{ of: run, ...rest }] : [];
}

const savedOf = ({ run, saved }: RunWrite) =>
  saved ? [{ run, step: saved.step, state: saved.state?.toString('base64') }] : [];

/** Of several states of one step in one write the last wins; when it began is kept. */
function checkpointsOf({ run, checkpoints = [] }: RunWrite) {
  const last = new Map<number, CheckpointWrite>();
  for (const checkpoint of checkpoints) {
    const before = last.get(checkpoint.step);
    last.set(checkpoint.step, {
      ...checkpoint,
      telling: checkpoint.telling ?? before?.telling,
      startedAt: checkpoint.startedAt ?? before?.startedAt,
    });
  }
  return [...last.values()].map((checkpoint) => ({ run, ...checkpoint }));
}
