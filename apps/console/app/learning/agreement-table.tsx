import type { TraceStats } from '@pilothouse/contract/api/traces.routes';
import { Cell, Table } from '@pilothouse/ui-kit';
import { count } from '../shared/number-format.ts';
import { formatKappa } from './traces/trace-quality.ts';

/** Agreement of each pair of reviewers. */
export const AgreementTable = ({ agreement }: Pick<TraceStats, 'agreement'>) =>
  agreement.length === 0 ? (
    <p className="p-3 text-sm text-muted">Two people must label the same steps before agreement is measured.</p>
  ) : (
    <Table label="Reviewer agreement" head={['Reviewers', 'Steps', 'Same label', <Kappa key="kappa" />]}>
      {agreement.map(({ reviewers, count: steps, observed, kappa }) => (
        <tr key={reviewers.join(' ')}>
          <Cell className="max-w-56 min-w-32 wrap-anywhere">{reviewers.join(', ')}</Cell>
          <Cell>{count(steps)}</Cell>
          <Cell>{observed === null ? '—' : `${Math.floor(observed * 100)}%`}</Cell>
          <Cell>{formatKappa(kappa)}</Cell>
        </tr>
      ))}
    </Table>
  );

const Kappa = () => <span title="1: full agreement; 0: agreement by chance">Cohen’s κ</span>;
