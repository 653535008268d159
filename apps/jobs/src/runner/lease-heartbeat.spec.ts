import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import type { JobLease, RenewedLease } from '@pilothouse/infra-db';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import type { JobAttempt } from './job-attempt.ts';
import { LeaseHeartbeat } from './lease-heartbeat.ts';

const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

/** A heartbeat of one attempt. `answer` stands for the database. */
function open(answer: (leases: readonly JobLease[]) => Promise<RenewedLease[]>) {
  const timers = new ManualTimers();
  const reasons: PilothouseError[] = [];
  const attempt = {
    job: { id: 'job-1', epoch: 3 },
    abort: (reason: PilothouseError) => reasons.push(reason),
  } as unknown as JobAttempt;
  const heartbeat = new LeaseHeartbeat({
    leases: { renew: answer },
    attempts: () => [attempt],
    ...{ leaseMs: LEASE_MS, renewMs: RENEW_MS, clock: timers },
    scheduler: new TaskScheduler({ log: memoryLog(), timers, random: () => 0.5 }),
  });
  return { timers, heartbeat, codes: () => reasons.map(({ code }) => code) };
}

const renewed = async (leases: readonly JobLease[]) =>
  leases.map(({ id, epoch }) => ({ id, epoch, isCancelRequested: false }));

test('renews at its interval and stops nothing', async () => {
  let renewals = 0;
  const { timers, heartbeat, codes } = open((leases) => {
    renewals += 1;
    return renewed(leases);
  });
  await timers.advance(10 * RENEW_MS);
  expect(renewals).toBe(10);
  expect(codes()).toEqual([]);
  heartbeat.stop();
  await timers.advance(RENEW_MS);
  expect(renewals).toBe(10);
});

test.each<[string, (leases: readonly JobLease[]) => Promise<RenewedLease[]>, string]>([
  ['its lease is missing in the answer', async () => [], 'LEASE_LOST'],
  ['another epoch is renewed', async () => [{ id: 'job-1', epoch: 4, isCancelRequested: false }], 'LEASE_LOST'],
  ['its cancellation is requested', async () => [{ id: 'job-1', epoch: 3, isCancelRequested: true }], 'JOB_CANCELLED'],
])('stops an attempt when %s', async (_, answer, code) => {
  const { timers, codes } = open(answer);
  await timers.advance(RENEW_MS);
  expect(codes()).toEqual([code]);
});

test('an outage stops an attempt only when its lease has expired', async () => {
  let isDown = false;
  const { timers, codes } = open((leases) => (isDown ? Promise.reject(new Error('down')) : renewed(leases)));
  await timers.advance(RENEW_MS);
  isDown = true;
  await timers.advance(LEASE_MS);
  expect(codes()).toEqual([]);
  await timers.advance(RENEW_MS);
  expect(codes()).toEqual(['LEASE_LOST']);
});

test('an unanswered renewal is not repeated, and does not keep an expired lease', async () => {
  let calls = 0;
  const { timers, codes } = open(() => {
    calls += 1;
    return new Promise<never>(() => undefined);
  });
  await timers.advance(LEASE_MS + 2 * RENEW_MS);
  expect(calls).toBe(1);
  expect(codes()[0]).toBe('LEASE_LOST');
});
