/** A safeguard, the edits that remove it, and the cases that must detect its absence. */
export interface Safeguard {
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly fitting: string;
  readonly cases: number;
}

const sql = 'libs/infra/db/src/run/run-write.sql.ts';

/** Safeguards whose absence the suite must detect. */
export const safeguards: Readonly<Record<string, Safeguard>> = {
  'epoch and number checks': {
    edits: [
      { file: sql, from: '    AND (i.epoch IS NULL OR r.epoch = i.epoch)\n', to: '' },
      {
        file: 'apps/api/src/gateway/socket/held-attempts.ts',
        from: 'return attempt?.epoch === epoch ? attempt : undefined;',
        to: 'return attempt && epoch > 0 ? attempt : undefined;',
      },
      // The numbers of events also refuse most events of an ended attempt.
      { file: sql, from: '    AND (i."firstN" IS NULL OR i."firstN" = r.attempt_event_seq + 1)\n', to: '' },
    ],
    fitting: 'lone worker stopped',
    cases: 6,
  },
  intent: {
    edits: [
      {
        file: 'apps/worker/src/run/step-runner.ts',
        from: 'await raceAbort(events.flush(safePoint && { safePoint }), cancellation.signal);',
        to: 'events.flush(safePoint && { safePoint }).catch(() => undefined);',
      },
    ],
    fitting: '^worker killed.*http',
    cases: 4,
  },
  dedupe: {
    edits: [
      { file: sql, from: '    AND (i."firstN" IS NULL OR i."firstN" = r.attempt_event_seq + 1)\n', to: '' },
      {
        file: 'apps/api/src/gateway/messages/append-to-write.ts',
        from: '.filter(({ sequence }) => sequence > attempt.lastSequence)',
        to: '',
      },
    ],
    fitting: 'events come twice',
    cases: 4,
  },
  'event order of an attempt': {
    edits: [
      { file: sql, from: '    AND (i."firstN" IS NULL OR i."firstN" = r.attempt_event_seq + 1)\n', to: '' },
      {
        file: 'apps/api/src/gateway/socket/held-attempts.ts',
        from: 'attempt.pendingWrite ? attempt.pendingWrite.then(write) : write();',
        to: 'write();',
      },
    ],
    fitting: 'writes broken  http',
    cases: 4,
  },
  'requeue-job': {
    edits: [
      {
        file: 'apps/api/src/run-lifecycle/sweeper/sweeper.ts',
        from: 'hasStaleAdmissions ? await dispatcher.requeueLostJobs(JOB_GRACE_MS) : 0',
        to: 'hasStaleAdmissions ? await Promise.resolve(0) : 0',
      },
    ],
    fitting: 'Redis flushed',
    cases: 3,
  },
  'end after a cancellation': {
    edits: [
      {
        file: 'apps/api/src/run-lifecycle/requeue.ts',
        from: "from: ['running'], ifCancelled: false }",
        to: "from: ['running'] }",
      },
    ],
    fitting: 'cancelled, and the worker drained  http',
    cases: 4,
  },
  'policy of an interrupted step': {
    edits: [
      {
        file: 'libs/core/src/run/run-recovery.ts',
        from: "step?.onInterrupted === 'ask' || step?.onInterrupted === 'fail';",
        to: 'step === null;',
      },
    ],
    fitting: 'two steps interrupted  http',
    cases: 4,
  },
  'attempt of a cached action': {
    edits: [
      {
        file: 'libs/infra/db/src/workflow/action-cache.store.ts',
        from: "AND r.epoch = $5 AND r.status IN ('running', 'awaiting_user')",
        to: 'AND $5::int IS NOT NULL',
      },
    ],
    fitting: 'caches after the lease',
    cases: 4,
  },
};
