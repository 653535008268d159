import { buttonClass, Cell, Empty, Table } from '@pilothouse/ui-kit';
import { Download } from 'lucide-react';
import { size } from '../../shared/number-format.ts';
import type { RunState } from '../run-state.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';

/** Artifacts of a run. */
export default function ArtifactsTab({ state }: { state: RunState }) {
  if (state.artifacts.length === 0) {
    return (
      <Empty title="No artifacts">
        Downloads, screenshots and videos of the run appear here. Set <code>capture</code> to record more.
      </Empty>
    );
  }
  return (
    <Table label="Artifacts" head={['Name', 'Type', 'Step', 'Size', 'Created', '']}>
      {state.artifacts.map(({ id, name, kind, step, size: bytes, createdAt }) => (
        <tr key={id}>
          <Cell className="font-mono text-xs">{name}</Cell>
          <Cell>{kind}</Cell>
          <Cell>{step === null ? '' : step + 1}</Cell>
          <Cell className="whitespace-nowrap">{size(bytes)}</Cell>
          <Cell className="text-muted">
            <TimeAgo time={createdAt} />
          </Cell>
          <Cell>
            <a
              href={`/runs/${state.run}/files/${id}`}
              download={name}
              className={buttonClass({ variant: 'quiet', icon: true })}
              aria-label={`Download ${name}`}
            >
              <Download aria-hidden="true" />
            </a>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
