import type { Json as Value } from '@pilothouse/contract/primitives.schema';
import { Button, Cell, Table } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { ArtifactLink, FilesOfValue } from '../artifact-link.tsx';
import { artifactOf } from '../files-in-value.ts';
import type { RunArtifact } from '../run-state.ts';
import { tablesOf } from './output-table.ts';
import { Json } from '../../shared/json-viewer.tsx';
import { countOf } from '../../shared/number-format.ts';

/** Rows that are shown before the viewer asks for all. */
const FIRST_ROWS = 100;

export interface OutputTabProps {
  run: string;
  value: Value;
  artifacts: readonly RunArtifact[];
}

/** Output of a run as tables, if it has rows, or as JSON. Files are download links. */
export default function OutputTab({ run, value, artifacts }: OutputTabProps) {
  const tables = tablesOf(value);
  const [asJson, setAsJson] = useState(!tables.some(({ rows }) => rows.length > 1));
  const [showsAll, setShowsAll] = useState(false);
  const files = <FilesOfValue run={run} value={value} artifacts={artifacts} />;
  if (tables.length === 0)
    return (
      <div className="grid gap-3">
        {files}
        <Json value={value} label="Output" />
      </div>
    );
  return (
    <div className="grid gap-3">
      {files}
      <div className="flex gap-2" role="group" aria-label="Output format">
        <Button variant={asJson ? 'quiet' : 'plain'} aria-pressed={!asJson} onClick={() => setAsJson(false)}>
          Table
        </Button>
        <Button variant={asJson ? 'plain' : 'quiet'} aria-pressed={asJson} onClick={() => setAsJson(true)}>
          JSON
        </Button>
      </div>
      {asJson ? (
        <Json value={value} label="Output" />
      ) : (
        tables.map(({ key, columns, rows }) => (
          <section key={key} className="grid gap-1.5">
            {key && <h3 className="text-xs font-medium text-muted">{key}</h3>}
            <Table label={`Output ${key}`.trim()} head={columns}>
              {(showsAll ? rows : rows.slice(0, FIRST_ROWS)).map((cells, row) => (
                <tr key={row}>
                  {cells.map((cell, column) => (
                    <Cell key={column} className="max-w-96 py-1 wrap-anywhere">
                      <OutputCell run={run} value={cell} artifacts={artifacts} />
                    </Cell>
                  ))}
                </tr>
              ))}
            </Table>
            {!showsAll && rows.length > FIRST_ROWS && (
              <Button className="justify-self-center" onClick={() => setShowsAll(true)}>
                {countOf(rows.length - FIRST_ROWS, 'more row')}
              </Button>
            )}
          </section>
        ))
      )}
    </div>
  );
}

function OutputCell({ run, value, artifacts }: OutputTabProps) {
  const artifact = artifactOf(value, artifacts);
  return artifact ? <ArtifactLink run={run} artifact={artifact} /> : textOf(value);
}

const textOf = (value: Value): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
