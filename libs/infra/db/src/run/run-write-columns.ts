import { tiers } from '@pilothouse/contract/model/tier-names';
import { ParameterList } from '../client/parameter-list.ts';
import type { CheckpointWrite, RunWrite } from './run-write.ts';

/** Parameters of `WRITE_RUNS`: the SQL text and the values are generated from the columns below. */
const parameters = new ParameterList<readonly RunWrite[]>();

/** Common fields of each write. */
export const itemSql = parameters.arrays(
  (writes) => writes,
  {
    run: ['uuid', ({ run }) => run],
    states: ['text', ({ guard }) => guard.from.join(',')],
    epoch: ['int', ({ guard }) => guard.epoch],
    session: ['uuid', ({ guard }) => guard.session],
    to: ['text', ({ to }) => to],
    accept: ['boolean', ({ accept }) => accept !== undefined],
    leaseMs: ['int', ({ claim, accept }) => claim?.leaseMs ?? accept?.leaseMs],
    output: ['json', ({ output }) => output],
    usedSteps: ['int', ({ usedSteps }) => usedSteps],
    actedSteps: ['int', ({ completedSteps }) => completedSteps?.total],
  },
  {
    modelSteps: ['int', ({ completedSteps }) => completedSteps?.byModel],
    currentStep: ['int', ({ currentStep }) => currentStep],
    events: ['int', ({ events = [] }) => events.length],
    firstN: ['int', firstSequence],
    lastN: ['int', ({ events = [] }) => events.map(sequenceOf).findLast(isNumber)],
  },
);

/** Fields that few writes have. */
export const rareFieldsSql = parameters.json(
  (writes) => writes,
  {
    of: ['uuid', ({ run }) => run],
    dispatch: ['int', ({ guard }) => guard.dispatch],
    ifLeaseExpired: ['boolean', ({ guard }) => guard.ifLeaseExpired],
    ifUnaccepted: ['boolean', ({ guard }) => guard.ifUnaccepted],
    ifUnacceptedMs: ['float8', ({ guard }) => guard.ifUnacceptedMs],
    ifHasSlot: ['boolean', ({ guard }) => guard.ifHasSlot],
    ifQuestion: ['jsonb', ({ guard }) => guard.ifQuestion],
    ifCancelled: ['boolean', ({ guard }) => guard.ifCancelled],
    newSession: ['uuid', ({ claim }) => claim?.session],
    worker: ['text', ({ claim }) => claim?.worker],
  },
  {
    claimedAt: ['timestamptz', ({ claim }) => claim?.at],
    error: ['jsonb', ({ error }) => error],
    release: ['boolean', ({ release }) => release],
    countsAsLost: ['boolean', ({ countsAsLost }) => countsAsLost],
    countsAsRejected: ['boolean', ({ countsAsRejected }) => countsAsRejected],
    cancelledBy: ['text', ({ cancelledBy }) => cancelledBy],
    usedCalls: ['int', ({ modelUsage }) => modelUsage?.calls],
    usedTokens: ['bigint', ({ modelUsage }) => modelUsage?.tokens],
    usedUsd: ['float8', ({ modelUsage }) => modelUsage?.usd],
    unpricedCalls: ['int', ({ modelUsage }) => modelUsage?.unpricedCalls || undefined],
  },
  {
    question: ['json', ({ question }) => question?.question],
    askSeconds: ['float8', ({ question }) => question?.seconds],
    answer: ['json', ({ answer }) => answer],
    stepAttempts: ['json', stepAttemptsOf],
    stepRetries: ['int', ({ stepRetries }) => stepRetries || undefined],
    unverifiedSteps: ['int', ({ completedSteps }) => completedSteps?.unverified || undefined],
    healsStep: ['boolean', ({ events = [] }) => events.some(({ type }) => type === 'step.healed') || undefined],
  },
);

export const eventSql = parameters.arrays(
  (writes) => writes.flatMap(({ run, events = [] }) => events.map((event) => ({ run, event }))),
  {
    run: ['uuid', ({ run }) => run],
    n: ['int', ({ event }) => sequenceOf(event)],
    type: ['text', ({ event }) => event.type],
    version: ['int', ({ event }) => event.v],
    level: ['text', ({ event }) => event.level],
    message: ['text', ({ event }) => event.message],
    data: ['json', ({ event }) => event.data],
    at: ['timestamptz', ({ event }) => event.at],
  },
);

export const checkpointSql = parameters.arrays(
  (writes) => writes.flatMap(checkpointsOf),
  {
    run: ['uuid', ({ run }) => run],
    step: ['int', ({ step }) => step],
    path: ['text', ({ path }) => path],
    status: ['text', ({ status }) => status],
    tier: ['int', ({ tier }) => (tier ? tiers.indexOf(tier) : tier)],
    value: ['json', ({ value }) => value],
    error: ['jsonb', ({ error }) => error],
    postcondition_was_false: ['boolean', ({ verifiable }) => verifiable],
  },
  {
    startedAt: ['timestamptz', ({ startedAt }) => startedAt],
    finishedAt: ['timestamptz', ({ finishedAt }) => finishedAt],
    outcome: ['text', ({ result }) => result?.outcome],
    effect: ['text', ({ result }) => result?.effect],
    effectReason: ['text', ({ result }) => result?.effectReason],
  },
);

export const safePointSql = parameters.json(
  (writes) => writes.flatMap(({ run, safePoint }) => (safePoint ? [{ run, ...safePoint }] : [])),
  {
    run: ['uuid', ({ run }) => run],
    step: ['int', ({ step }) => step],
    state: ['text', ({ state }) => state?.toString('base64')],
  },
);

/** Sessions that claim a run. */
export const claimingSessionSql = parameters.arrays((writes) => writes.flatMap(({ claim }) => claim ?? []), {
  session: ['uuid', ({ session }) => session],
});

/** Values of the parameters of `WRITE_RUNS`. */
export const runWriteValues = (writes: readonly RunWrite[]): unknown[] => parameters.values(writes);

/** Facts of a file in the object storage. */
export interface StoredFile {
  id: string;
  size: number;
  contentType: string;
}

/** Parameters of `MARK_ARTIFACT_STORED` after those of `WRITE_RUNS`. */
const fileParameters = new ParameterList<StoredFile>(parameters.last);

export const storedFileSql = {
  id: fileParameters.scalar(({ id }) => id),
  size: fileParameters.scalar(({ size }) => size),
  contentType: fileParameters.scalar(({ contentType }) => contentType),
};

/** Values of the parameters of `MARK_ARTIFACT_STORED`. */
export const markArtifactStoredValues = (file: StoredFile, write: RunWrite): unknown[] => [
  ...runWriteValues([write]),
  ...fileParameters.values(file),
];

type WrittenEvent = NonNullable<RunWrite['events']>[number];

/** Sequence of a worker event; undefined for an event of the API. */
function sequenceOf(event: WrittenEvent): number | undefined {
  return 'sequence' in event ? event.sequence : undefined;
}

function isNumber(n: number | undefined): n is number {
  return n !== undefined;
}

/** Required sequence of the first worker event; undefined for any. */
function firstSequence({ guard, events = [] }: RunWrite): number | undefined {
  return (
    events.map(sequenceOf).find(isNumber) ?? (guard.ifLastSequence === undefined ? undefined : guard.ifLastSequence + 1)
  );
}

/** Attempts by step, for steps with more than one; undefined without any. */
function stepAttemptsOf({ checkpoints = [] }: Pick<RunWrite, 'checkpoints'>): Record<number, number> | undefined {
  const retriedSteps = checkpoints.flatMap(({ step, attempts = 1 }) =>
    attempts > 1 ? [[step, attempts] as const] : [],
  );
  return retriedSteps.length > 0 ? Object.fromEntries(retriedSteps) : undefined;
}

/** Merges several states of a step in one write: the last one wins, with the first start time. */
function checkpointsOf({ run, checkpoints = [] }: RunWrite) {
  const last = new Map<number, CheckpointWrite>();
  for (const checkpoint of checkpoints) {
    const previous = last.get(checkpoint.step);
    last.set(checkpoint.step, {
      ...checkpoint,
      verifiable: checkpoint.verifiable ?? previous?.verifiable,
      startedAt: checkpoint.startedAt ?? previous?.startedAt,
    });
  }
  return [...last.values()].map((checkpoint) => ({ run, ...checkpoint }));
}
