import type { Pool } from '@pilothouse/infra-db';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { createHeldAttempt } from '../socket/held-attempts.ts';
import { toRunWrite } from './append-to-write.ts';

test('the duration of a run is measured by the clock of the gateway', async () => {
  const clock = new ManualTimers();
  const attempt = createHeldAttempt({
    ...{ run: 'run', epoch: 1, lastSequence: 0, isAccepted: true, lostAttempts: 0, rejectedClaims: 0 },
    assignedAtMs: clock.monotonic(),
  });
  attempt.definition = { name: 'order', surface: 'browser', inputs: {}, steps: [] };
  await clock.advance(90_000);
  const outcome = { status: 'completed', output: null } as const;
  const { events } = await toRunWrite(
    { type: 'append', run: 'run', epoch: 1, events: [], outcome },
    attempt,
    'session',
    {
      // The definition is known, so nothing is read.
      ...{ pool: {} as Pool, clock, seal: () => Buffer.alloc(0) },
    },
  );
  expect(events).toMatchObject([{ type: 'run.completed', data: { durationMs: 90_000 } }]);
});
