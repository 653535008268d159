import type { RepeatedGoal } from '@pilothouse/contract/run/savings.schema';
import { Button } from '@pilothouse/ui-kit';
import { Link, useFetcher } from 'react-router';
import { countOf, dollars } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useRole } from '../../page/use-role.ts';

export interface RepeatedGoalsProps {
  label: string;
  goals: readonly RepeatedGoal[];
  /** Opens the dialog that compiles a goal. */
  onCompile(goal: RepeatedGoal): void;
}

/** Goals that completed repeatedly, with the offer to compile them. */
export const RepeatedGoals = ({ label, goals, onCompile }: RepeatedGoalsProps) => (
  <ul aria-label={label} className="divide-y divide-line">
    {goals.map((goal) => (
      <GoalItem key={goal.id} goal={goal} onCompile={onCompile} />
    ))}
  </ul>
);

function GoalItem({ goal, onCompile }: Pick<RepeatedGoalsProps, 'onCompile'> & { goal: RepeatedGoal }) {
  const fetcher = useFetcher();
  const role = useRole();
  const isOperator = role === 'operator' || role === 'admin';
  const { perRun, perMonth, best } = goal;
  return (
    <li className="grid gap-2 p-3 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
      <div className="min-w-0">
        <p className="line-clamp-3 text-sm font-medium break-words whitespace-pre-line" title={goal.goal}>
          {goal.goal}
        </p>
        <p className="text-xs break-words text-muted">
          {goal.site || 'Unknown site'} · {countOf(goal.count, 'run')}, last <TimeAgo time={goal.lastRunAt} /> ·{' '}
          {countOf(perRun.tokens, 'token')}
          {perRun.usd !== null && ` (${dollars(perRun.usd)})`} per run
        </p>
        <p className="text-xs">
          Saves about {countOf(perMonth.tokens, 'token')}
          {perMonth.usd === null ? ' (cost unknown)' : ` (${dollars(perMonth.usd)})`} per month.{' '}
          <Link to={`/runs/${best.run}`} className="underline">
            Best run ({countOf(best.actions, 'action')})
          </Link>
        </p>
      </div>
      {isOperator && (
        <fetcher.Form method="post" className="flex gap-2">
          <input type="hidden" name="goal" value={goal.id} />
          {goal.dismissedAt === null && <Button onClick={() => onCompile(goal)}>Compile</Button>}
          <Button
            type="submit"
            name="intent"
            value={goal.dismissedAt === null ? 'dismiss' : 'restore'}
            disabled={fetcher.state !== 'idle'}
          >
            {goal.dismissedAt === null ? 'Dismiss' : 'Restore'}
          </Button>
        </fetcher.Form>
      )}
    </li>
  );
}
