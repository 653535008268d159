import type { ArmStats } from '@pilothouse/contract/learning/registry.schema';

export interface RateWithIntervalProps {
  rate: ArmStats | undefined;
  /** Text without trials. */
  empty: string;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

/** Share of successes with its 95% interval. */
export function RateWithInterval({ rate, empty }: RateWithIntervalProps) {
  if (!rate || rate.trials === 0) return <span className="whitespace-nowrap text-muted">{empty}</span>;
  const { successes, trials, low, high } = rate;
  return (
    <span>
      <span className="whitespace-nowrap">
        {successes} of {trials} ({percent(successes / trials)})
      </span>{' '}
      <span className="text-xs whitespace-nowrap text-muted">
        95%: {percent(low)} to {percent(high)}
      </span>
    </span>
  );
}
