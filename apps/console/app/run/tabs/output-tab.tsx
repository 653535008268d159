import type { Json as Value } from '@pilothouse/contract/primitives.schema';
import { Button, Cell, Table } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { tablesOf } from './output-table.ts';
import { Json } from '../../shared/json-viewer.tsx';

/** Rows that are shown before the viewer asks for all. */
const FIRST_ROWS = 100;

/** Output of a run as tables, if it has rows, or as JSON. */
export function OutputTab({ value }: { value: Value }) {
  const tables = tablesOf(value);
  const [asJson, setAsJson] = useState(!tables.some(({ rows }) => rows.length > 1));
  const [showsAll, setShowsAll] = useState(false);
  if (tables.length === 0) return <Json value={value} label="Output" />;
  return (
    <div className="grid gap-3">
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
                      {textOf(cell)}
                    </Cell>
                  ))}
                </tr>
              ))}
            </Table>
            {!showsAll && rows.length > FIRST_ROWS && (
              <Button className="justify-self-center" onClick={() => setShowsAll(true)}>
                {rows.length - FIRST_ROWS} more rows
              </Button>
            )}
          </section>
        ))
      )}
    </div>
  );
}

const textOf = (value: Value): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
