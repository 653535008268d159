/** Job runner process of specs: the product's process with the handler of `counting-handler.ts` and short intervals. */
import { jobsConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { runJobsApp } from '../run-jobs-app.ts';
import { createCountingHandler } from './counting-handler.ts';

await runJobsApp({
  config: jobsConfig(),
  createHandlers: (dependencies) => ({ score: createCountingHandler(dependencies) }),
  log: createLog({ name: 'jobs', level: 'debug', format: 'json' }),
  timing: { leaseMs: 3_000, renewMs: 300, pollMs: 500 },
});
