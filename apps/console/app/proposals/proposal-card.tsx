import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { Badge, Button, Notice, type Tone } from '@pilothouse/ui-kit';
import { Check, RotateCw, X } from 'lucide-react';
import { Link, useFetcher } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';
import { shortId } from '../shared/number-format.ts';
import type { ProposalWithDiff } from './proposal-diffs.server.ts';
import { proposalStatusLabels } from '../shared/labels.ts';
import { DiffView } from '../shared/diff-view.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';

const statusTones: Record<ProposalView['status'], Tone> = {
  open: 'live',
  published: 'good',
  rejected: 'plain',
  superseded: 'plain',
};

const healerLabels: Record<ProposalView['changes'][number]['method'], string> = {
  'earlier-run': 'an earlier run',
  similarity: 'similarity',
  'text-model': 'a text model',
  'vision-model': 'a vision model',
  human: 'a person',
};

const RunLink = ({ run }: { run: string }) => (
  <Link to={`/runs/${run}`} className="font-mono underline">
    {shortId(run)}
  </Link>
);

/** State of the verification run. */
function VerificationLine({ verification: { state, run, reason } }: Pick<ProposalView, 'verification'>) {
  const labels = {
    none: 'Not verified',
    running: 'Verifying',
    passed: 'Verified',
    failed: 'Verification failed',
  };
  return (
    <p className={state === 'passed' ? 'text-good' : state === 'failed' ? 'text-bad' : 'text-muted'}>
      {labels[state]}
      {run && (
        <>
          {' '}
          (<RunLink run={run} />)
        </>
      )}
      {reason && `: ${reason}`}
    </p>
  );
}

/** A proposed version with its diff, and the decision buttons of an admin. */
export function ProposalCard({
  proposalWithDiff: { proposal, diff },
  canDecide,
  onDecided,
}: {
  proposalWithDiff: ProposalWithDiff;
  canDecide: boolean;
  onDecided?: () => void;
}) {
  const { id, kind, workflow, baseVersion: base, version, status, verification, changes, notes, runs } = proposal;
  const { approvedBy, createdAt, decidedAt, decidedBy } = proposal;
  const fetcher = useFetcher<{ failure?: Failure }>();
  const failure = fetcher.data?.failure;
  const decide = async (
    intent: 'publish' | 'reject',
    options: { skipVerification?: 'true'; verifyFirst?: 'true' } = {},
  ) => {
    await fetcher.submit({ proposal: id, intent, ...options }, { method: 'post', action: '/proposals' });
    onDecided?.();
  };
  const hasPassed = verification.state === 'passed';
  const isVerifying = verification.state === 'running';
  const canVerify = status === 'open' && canDecide && !hasPassed && !(isVerifying && approvedBy !== null);
  const busy = fetcher.state !== 'idle';
  return (
    <section aria-label={`Proposal for ${workflow.name}`} className="grid gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">
          <Link to={`/workflows/${workflow.name}?version=${version}`} className="hover:underline">
            {workflow.name}
          </Link>{' '}
          <span className="font-normal text-muted">
            {base === null ? `v${version}` : `v${base} → v${version}`}, {kind === 'heal' ? 'healed' : 'compiled'}
          </span>
        </h3>
        <Badge tone={statusTones[status]}>{proposalStatusLabels[status]}</Badge>
        <span className="text-xs text-muted">
          <TimeAgo time={decidedAt ?? createdAt} />
          {decidedBy && ` by ${decidedBy}`}
        </span>
        {status === 'open' && canDecide && (
          <div className="ml-auto flex flex-wrap justify-end gap-2">
            {canVerify && (
              <Button
                variant="primary"
                disabled={busy}
                aria-describedby={`replay-${id}`}
                onClick={() => void decide('publish', { verifyFirst: 'true' })}
              >
                <RotateCw aria-hidden="true" />
                {isVerifying ? 'Publish when verified' : 'Verify and publish'}
              </Button>
            )}
            <Button
              variant={hasPassed ? 'primary' : 'plain'}
              disabled={busy}
              onClick={() => void decide('publish', hasPassed ? {} : { skipVerification: 'true' })}
            >
              <Check aria-hidden="true" />
              {hasPassed ? 'Publish' : 'Publish without verification'}
            </Button>
            <Button disabled={busy} onClick={() => void decide('reject')}>
              <X aria-hidden="true" /> Reject
            </Button>
          </div>
        )}
      </div>
      {canVerify && (
        <p id={`replay-${id}`} className={`text-xs ${isVerifying ? 'text-muted' : 'text-warn'}`}>
          {isVerifying
            ? 'Publishes automatically when the verification run succeeds.'
            : 'Verification runs the whole workflow again, including orders, messages and payments. The version is published only if the run succeeds.'}
        </p>
      )}
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <ul className="grid gap-0.5 text-xs">
        {changes.map(({ path, title, method, element }) => (
          <li key={path} className="wrap-anywhere">
            <span className="text-muted">Step {path}</span> {title}
            <span className="text-muted">
              {' '}
              · found by {healerLabels[method]}: {element}
            </span>
          </li>
        ))}
        {notes.map((note) => (
          <li key={note} className="text-warn wrap-anywhere">
            {note}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-4 text-xs">
        <VerificationLine verification={verification} />
        {status === 'open' && verification.state === 'running' && approvedBy !== null && (
          <p className="text-muted">Approved by {approvedBy}; publishes when verified</p>
        )}
        <p className="text-muted">
          Source runs:{' '}
          {runs.slice(-3).map((run, index) => (
            <span key={run}>
              {index > 0 && ', '}
              <RunLink run={run} />
            </span>
          ))}
        </p>
      </div>
      {diff && <DiffView lines={diff} />}
    </section>
  );
}
