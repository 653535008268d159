import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { Masker } from '@pilothouse/core/secret/secret-masker';
import { buildAssignment } from '@pilothouse/infra-link/testing';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { RunCancellation } from '../attempt/cancellation.ts';
import { MetricsBuffer } from '../telemetry/metrics-buffer.ts';

type Overrides = Partial<Omit<AttemptBase, 'assignment' | 'link' | 'events'>> & {
  readonly assignment?: Partial<Assignment>;
  readonly link?: object;
  readonly events?: object;
};

/** Creates the base of an attempt for the spec of one service. `link` and `events` contain the given members, `link.lossSignal` and `link.lease`. */
export function attemptBase({ assignment, link, events, ...overrides }: Overrides = {}): AttemptBase {
  const timers = new ManualTimers();
  const open = new AbortController().signal;
  return {
    assignment: { ...buildAssignment({ steps: [{ action: 'goBack' }] }), ...assignment },
    link: { lossSignal: open, lease: { endSignal: open }, ...link } as AttemptBase['link'],
    clock: timers,
    timers,
    random: () => 0,
    metrics: new MetricsBuffer(),
    gatewayUrl: new URL('http://gateway.test'),
    masker: new Masker(),
    log: memoryLog(),
    events: { add: () => undefined, flush: async () => undefined, ...events } as unknown as AttemptBase['events'],
    cancellation: new RunCancellation(),
    runningStep: null,
    stepNumber: null,
    ...overrides,
  };
}
