import type { ShadowStats } from '@pilothouse/contract/learning/registry.schema';
import { Card } from '@pilothouse/ui-kit';
import { formatDuration } from '../../shared/duration.ts';
import { count, dollars } from '../../shared/number-format.ts';
import { FactList } from '../fact-list.tsx';
import { RateWithInterval } from './rate-with-interval.tsx';

/** Calls of a model in the stage `shadow`, compared with the answers that runs used. */
export function ShadowCard({ stats }: { stats: ShadowStats | null }) {
  if (!stats)
    return (
      <Card title="Shadow">
        <p className="text-sm text-muted">
          No calls yet. The model receives a share of the requests for next actions. Runs are not affected.
        </p>
      </Card>
    );
  const { calls, agreed, disagreed, undetermined, failed, low, high, inputTokens, outputTokens, usd, medianMs } = stats;
  return (
    <Card title="Shadow">
      <div className="grid gap-3">
        <FactList
          facts={[
            [
              'Agreement with runs',
              <RateWithInterval
                key="agreement"
                rate={{ successes: agreed, trials: agreed + disagreed, low, high }}
                empty="No compared calls"
              />,
            ],
            ['Calls', count(calls)],
            ['Failed', count(failed)],
            ['Not comparable', count(undetermined)],
            ['Median latency', medianMs === null ? '—' : formatDuration(medianMs)],
            ['Cost', dollars(usd)],
            ['Tokens', `${count(inputTokens)} input, ${count(outputTokens)} output`],
          ]}
        />
        <p className="text-xs text-muted">
          The last 10,000 calls. Dropped calls are in the metric{' '}
          <span className="font-mono wrap-anywhere">pilothouse_registry_shadow_calls_total</span> only.
        </p>
      </div>
    </Card>
  );
}
