/** Learner process of specs: the product's process with the handler of `counting-handler.ts` and short intervals. */
import { learnerConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { runLearner } from '../run-learner.ts';
import { createCountingHandler } from './counting-handler.ts';

await runLearner({
  config: learnerConfig(),
  createHandlers: (dependencies) => ({ score: createCountingHandler(dependencies) }),
  log: createLog({ name: 'learner', level: 'debug', format: 'json' }),
  timing: { leaseMs: 3_000, renewMs: 300, pollMs: 500 },
});
