import { Notice } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../../api/api-client.server.ts';
import type { ProposalWithDiff } from '../../proposals/proposal-diffs.server.ts';
import { ProposalCard } from '../../proposals/proposal-card.tsx';
import { useRole } from '../../page/use-role.ts';

/** Milliseconds between two requests while a proposal is missing or its verification runs. */
const POLL_INTERVAL_MS = 2_000;

/** Proposals that resulted from a run. They appear shortly after its end. */
export default function ProposalsTab({ run }: { run: string }) {
  const { load, data: answer, state } = useFetcher<ApiResult<ProposalWithDiff[]>>();
  const data = answer?.result;
  const isAdmin = useRole() === 'admin';
  const isSettled =
    data !== undefined && data.length > 0 && data.every(({ proposal }) => proposal.verification.state !== 'running');
  const reload = () => void load(`/runs/${run}/proposals`);
  useEffect(reload, [run]);
  useEffect(() => {
    if (isSettled || state !== 'idle') return undefined;
    const timer = setTimeout(reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isSettled, state, run]);
  if (answer?.failure) return <Notice tone="bad">{answer.failure.message}</Notice>;
  if (!data?.length)
    return (
      <p role="status" className="text-sm text-muted">
        {data ? 'No proposals from this run.' : 'Loading proposals…'}
      </p>
    );
  return (
    <div className="grid gap-4">
      {data.map((proposalWithDiff) => (
        <ProposalCard
          key={proposalWithDiff.proposal.id}
          proposalWithDiff={proposalWithDiff}
          canDecide={isAdmin}
          onDecided={reload}
        />
      ))}
    </div>
  );
}
