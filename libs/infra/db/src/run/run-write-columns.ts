import { arrayLiteral, jsonArrayLiteral } from '../client/pg-array-literal.ts';
import { tiers } from '@pilothouse/contract';
import type { CheckpointWrite, RunWrite } from './run-write.ts';

/** Parameters of `WRITE_RUNS`, $1 to $36. */
export function runWriteParameters(writes: readonly RunWrite[]): string[] {
  const events = writes.flatMap(({ run, events = [] }) => events.map((event) => ({ run, event })));
  const checkpoints = writes.flatMap(checkpointsOf);
  return [
    arrayLiteral(writes.map(({ run }) => run)),
    arrayLiteral(writes.map(({ guard }) => guard.from.join(','))),
    arrayLiteral(writes.map(({ guard }) => guard.epoch)),
    arrayLiteral(writes.map(({ guard }) => guard.session)),
    arrayLiteral(writes.map(({ to }) => to)),
    arrayLiteral(writes.map(({ accept }) => accept !== undefined)),
    arrayLiteral(writes.map(({ claim, accept }) => claim?.leaseMs ?? accept?.leaseMs)),
    jsonArrayLiteral(writes.map(({ output }) => output)),
    arrayLiteral(writes.map(({ usedSteps }) => usedSteps)),
    arrayLiteral(writes.map(({ completedSteps }) => completedSteps?.total)),
    arrayLiteral(writes.map(({ completedSteps }) => completedSteps?.byModel)),
    arrayLiteral(writes.map(({ currentStep }) => currentStep)),
    arrayLiteral(writes.map(({ events = [] }) => events.length)),
    arrayLiteral(writes.map(firstEventN)),
    arrayLiteral(writes.map(({ events = [] }) => events.map(numberOf).findLast(isNumber))),
    JSON.stringify(writes.flatMap(rareFields)),
    arrayLiteral(events.map(({ run }) => run)),
    arrayLiteral(events.map(({ event }) => numberOf(event))),
    arrayLiteral(events.map(({ event }) => event.type)),
    arrayLiteral(events.map(({ event }) => event.v)),
    arrayLiteral(events.map(({ event }) => event.level)),
    arrayLiteral(events.map(({ event }) => event.message)),
    jsonArrayLiteral(events.map(({ event }) => event.data)),
    arrayLiteral(events.map(({ event }) => event.at)),
    arrayLiteral(checkpoints.map(({ run }) => run)),
    arrayLiteral(checkpoints.map(({ step }) => step)),
    arrayLiteral(checkpoints.map(({ path }) => path)),
    arrayLiteral(checkpoints.map(({ status }) => status)),
    arrayLiteral(checkpoints.map(({ tier }) => (tier ? tiers.indexOf(tier) : tier))),
    jsonArrayLiteral(checkpoints.map(({ value }) => value)),
    jsonArrayLiteral(checkpoints.map(({ error }) => error)),
    arrayLiteral(checkpoints.map(({ verifiable }) => verifiable)),
    arrayLiteral(checkpoints.map(({ startedAt }) => startedAt)),
    arrayLiteral(checkpoints.map(({ finishedAt }) => finishedAt)),
    JSON.stringify(writes.flatMap(safePoints)),
    arrayLiteral(writes.flatMap(({ claim }) => claim?.session ?? [])),
  ];
}

type WrittenEvent = NonNullable<RunWrite['events']>[number];

/** Sequence of a worker event; undefined for an event of the API. */
const numberOf = (event: WrittenEvent): number | undefined => ('sequence' in event ? event.sequence : undefined);

const isNumber = (n: number | undefined) => n !== undefined;

/** Required sequence of the first worker event; undefined for any. */
const firstEventN = ({ guard, events = [] }: RunWrite): number | undefined =>
  events.map(numberOf).find(isNumber) ?? (guard.ifLastSequence === undefined ? undefined : guard.ifLastSequence + 1);

/** Fields that few writes have, as one JSON object. */
function rareFields({
  run,
  guard,
  claim,
  release,
  countsAsLost,
  countsAsRejected,
  question,
  answer,
  error,
  cancelledBy,
  modelUsage,
  ...more
}: RunWrite) {
  const { dispatch, ifLeaseExpired, ifUnaccepted, ifUnacceptedMs, ifHasSlot, ifQuestion, ifCancelled } = guard;
  const fields = {
    ...{ dispatch, ifLeaseExpired, ifUnaccepted, ifUnacceptedMs, ifHasSlot, ifQuestion, ifCancelled },
    ...{ release, countsAsLost, countsAsRejected, answer, error, cancelledBy },
    newSession: claim?.session,
    worker: claim?.worker,
    claimedAt: claim?.at,
    question: question?.question,
    askSeconds: question?.seconds,
    usedCalls: modelUsage?.calls,
    usedTokens: modelUsage?.tokens,
    usedUsd: modelUsage?.usd,
    stepAttempts: stepAttemptsOf(more),
    stepRetries: more.stepRetries || undefined,
  };
  return Object.values(fields).some((value) => value !== undefined) ? [{ of: run, ...fields }] : [];
}

/** Attempts by step, for steps with more than one; undefined without any. */
function stepAttemptsOf({ checkpoints = [] }: Pick<RunWrite, 'checkpoints'>): Record<number, number> | undefined {
  const retriedSteps = checkpoints.flatMap(({ step, attempts = 1 }) =>
    attempts > 1 ? [[step, attempts] as const] : [],
  );
  return retriedSteps.length > 0 ? Object.fromEntries(retriedSteps) : undefined;
}

const safePoints = ({ run, safePoint }: RunWrite) =>
  safePoint ? [{ run, step: safePoint.step, state: safePoint.state?.toString('base64') }] : [];

/** Merges several states of a step in one write: the last one wins, with the first start time. */
function checkpointsOf({ run, checkpoints = [] }: RunWrite) {
  const last = new Map<number, CheckpointWrite>();
  for (const checkpoint of checkpoints) {
    const before = last.get(checkpoint.step);
    last.set(checkpoint.step, {
      ...checkpoint,
      verifiable: checkpoint.verifiable ?? before?.verifiable,
      startedAt: checkpoint.startedAt ?? before?.startedAt,
    });
  }
  return [...last.values()].map((checkpoint) => ({ run, ...checkpoint }));
}
