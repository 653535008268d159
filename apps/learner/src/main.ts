import { ConfigError, learnerConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { createJobHandlers } from './job-handlers.ts';
import { runLearner } from './run-learner.ts';

try {
  const config = learnerConfig();
  await runLearner({
    config,
    createHandlers: createJobHandlers,
    log: createLog({ name: 'learner', ...config.log }),
  });
} catch (error) {
  // The log does not exist yet or is closed, so the message goes to stderr.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
