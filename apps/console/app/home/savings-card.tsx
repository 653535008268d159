import type { SavedAmount } from '@pilothouse/contract/run/savings.schema';
import { Card } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { count, countOf } from '../shared/number-format.ts';
import { timeText, usdText } from '../learning/savings/saved-amounts.ts';

export interface SavingsCardProps {
  /** Savings of the last 30 days. */
  total: SavedAmount;
  /** Number of repeated goals to compile. */
  goalCount: number;
  className?: string;
}

/** Savings by the action cache, compiled workflows and healing. */
export function SavingsCard({ total, goalCount, className }: SavingsCardProps) {
  const facts: [name: string, value: string][] = [
    ['Tokens', count(total.tokens)],
    ['Cost', usdText(total)],
    ['Time', timeText(total)],
  ];
  return (
    <Card
      title="Savings of the last 30 days"
      className={className}
      actions={
        <Link to="/learning/savings" prefetch="intent" className="text-sm underline">
          {goalCount === 0 ? 'Show savings' : `Compile ${countOf(goalCount, 'repeated goal')}`}
        </Link>
      }
    >
      {total.runs === 0 ? (
        <p className="text-sm text-muted">No run has saved a model call yet.</p>
      ) : (
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{name}</dt>
              <dd className="text-base font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
