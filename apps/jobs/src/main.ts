import { ConfigError, jobsConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { createJobHandlers } from './job-handlers.ts';
import { runJobsApp } from './run-jobs-app.ts';

try {
  const config = jobsConfig();
  await runJobsApp({
    config,
    createHandlers: createJobHandlers,
    log: createLog({ name: 'jobs', ...config.log }),
  });
} catch (error) {
  // The log does not exist yet or is closed, so the message goes to stderr.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
