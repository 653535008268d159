import { classes } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { overviewPeriods } from './overview-period.ts';

/** Links that select the period of a page. */
export const PeriodLinks = ({ period }: { period: number }) => (
  <nav aria-label="Period" className="flex gap-1 text-sm">
    {overviewPeriods.map((days) => (
      <Link
        key={days}
        to={`?days=${days}`}
        aria-current={days === period ? 'true' : undefined}
        className={classes(
          'rounded-md px-2 py-1',
          days === period ? 'bg-raised font-medium' : 'text-muted hover:bg-raised hover:text-text',
        )}
      >
        {days} days
      </Link>
    ))}
  </nav>
);
