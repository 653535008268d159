import { isCancelling } from './cancelling-job.ts';
import { jobStatuses } from './job.schema.ts';

test('a job is cancelling from the request until its end', () => {
  const statuses = jobStatuses.filter((status) => isCancelling({ status, isCancelRequested: true }));
  // A tuning job that was claimed once is queued until a job runner has cancelled it at its tuner.
  expect(statuses).toEqual(['queued', 'running']);
});

test.each(jobStatuses)('a %s job without a request is not cancelling', (status) => {
  expect(isCancelling({ status, isCancelRequested: false })).toBe(false);
});
