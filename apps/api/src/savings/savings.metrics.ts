import { savingMechanisms } from '@pilothouse/contract/run/savings.schema';
import type { Saving } from '@pilothouse/core/savings/run-measurement';
import type { Metrics } from '@pilothouse/infra-telemetry';

const labels = { mechanism: savingMechanisms };

/** Savings, counted by the replica that measured the run. A counter only grows, so negative savings are left out. */
export function declareSavingsMetrics(metrics: Metrics): (savings: readonly Saving[]) => void {
  const tokens = metrics.counter({
    name: 'saved_tokens_total',
    help: 'Tokens that completed runs saved compared with their baseline. Runs above their baseline are not counted',
    labels,
  });
  const usd = metrics.counter({
    name: 'saved_usd_total',
    help: 'US dollars that completed runs saved compared with their baseline. Runs without a known price are not counted',
    labels,
  });
  const seconds = metrics.counter({
    name: 'saved_seconds_total',
    help: 'Seconds that completed runs saved compared with their baseline. Runs above their baseline are not counted',
    labels,
  });
  return (savings) => {
    for (const { mechanism, ...saving } of savings) {
      tokens.add(Math.max(0, saving.tokens), { mechanism });
      usd.add(Math.max(0, saving.usd ?? 0), { mechanism });
      seconds.add(Math.max(0, saving.seconds), { mechanism });
    }
  };
}
