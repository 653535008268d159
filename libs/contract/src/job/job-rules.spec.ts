import type { ErrorCode } from '../errors/error-codes.ts';
import { isCancelling, isEndedAtTuner } from './job-rules.ts';
import { jobStatuses, type Job } from './job.schema.ts';

test('a job is cancelling from the request until its end', () => {
  const statuses = jobStatuses.filter((status) => isCancelling({ status, isCancelRequested: true }));
  // A tuning job that was claimed once is queued until a job runner has cancelled it at its tuner.
  expect(statuses).toEqual(['queued', 'running']);
});

test.each(jobStatuses)('a %s job without a request is not cancelling', (status) => {
  expect(isCancelling({ status, isCancelRequested: false })).toBe(false);
});

const aTuningJob = (facts: Partial<Job>) => ({
  ...{ kind: 'tune' as const, status: 'failed' as const, startedAt: '2026-11-27T08:00:00.000Z', error: null },
  progress: { done: 1, total: null, unit: 'steps' },
  ...facts,
});
const anError = (code: ErrorCode) => ({ code, message: 'It failed', retry: 'no' as const });

test.each<[string, Partial<Job>, boolean]>([
  ['failed at its tuner', { error: anError('TUNING_FAILED') }, true],
  ['was cancelled after its start', { status: 'cancelled' }, true],
  ['was cancelled before its start', { status: 'cancelled', startedAt: null, progress: null }, false],
  ['was rejected before its start', { error: anError('TUNING_FAILED'), progress: null }, false],
  ['lost its job runners', { error: anError('POISON_JOB') }, false],
  ['was not cancelled at its tuner', { error: anError('TUNING_NOT_CANCELLED') }, false],
  ['runs', { status: 'running' }, false],
  ['is no tuning job', { kind: 'export', status: 'cancelled' }, false],
])('a tuning job that %s', (_title, facts, isEnded) => {
  expect(isEndedAtTuner(aTuningJob(facts))).toBe(isEnded);
});
