import { createEvent } from '@pilothouse/contract/events/event-log.schema';
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

test('a skipped step of which a person said that it ran is counted as unverified', async () => {
  const clock = new ManualTimers();
  const attempt = createHeldAttempt({
    ...{ run: 'run', epoch: 1, lastSequence: 0, isAccepted: true, lostAttempts: 0, rejectedClaims: 0 },
    assignedAtMs: clock.monotonic(),
  });
  const skipped = (step: number, effect: 'confirmed' | 'unverifiable') => ({
    ...createEvent(
      'step.skipped',
      'Skipped',
      { step, path: `${step}`, id: null, reason: 'It ran', outcome: 'completed', effect },
      new Date(0),
    ),
    sequence: step + 1,
  });
  const { completedSteps } = await toRunWrite(
    { type: 'append', run: 'run', epoch: 1, events: [skipped(0, 'confirmed'), skipped(1, 'unverifiable')] },
    attempt,
    'session',
    { pool: {} as Pool, clock, seal: () => Buffer.alloc(0) },
  );
  expect(completedSteps).toMatchObject({ total: 0, unverified: 1 });
});
