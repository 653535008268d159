import type { Politeness, SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import { Button, Cell, Field, Select, Table } from '@pilothouse/ui-kit';
import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { rowsField, siteField } from './site-limit-form.ts';
import { TableCellInput } from '../shared/table-cell-input.tsx';

export interface SiteLimitFieldsProps {
  politeness: Politeness | null;
  disabled: boolean;
  /** Error message of a field. */
  errorOf: (field: string) => string | undefined;
}

const columns = [
  { key: 'domain', name: 'Site', placeholder: '*.example.com' },
  { key: 'requestsPerMinute', name: 'Pages per minute', placeholder: undefined },
  { key: 'maxConcurrentRuns', name: 'Concurrent runs', placeholder: undefined },
] as const;

interface Row {
  readonly id: number;
  readonly limit: Partial<SiteLimit>;
}

/** Rate limits of sites, one row each, and the handling of robots.txt. */
export function SiteLimitFields({ politeness, disabled, errorOf }: SiteLimitFieldsProps) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    (politeness?.limits ?? []).map((limit, id) => ({ id, limit })),
  );
  const table = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, limit: {} }]);
    // The new row exists after React has rendered.
    requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('tr:last-child input')?.focus());
  };
  const remove = (removedRow: Row) => {
    setRows(rows.filter((row) => row !== removedRow));
    // The focused element was removed with its row.
    addButton.current?.focus();
  };
  return (
    <div ref={table} className="grid gap-3">
      <input type="hidden" name={rowsField} value={rows.length} />
      {rows.length > 0 && (
        <Table label="Site rate limits" head={[...columns.map(({ name }) => name), ...(disabled ? [] : [''])]}>
          {rows.map((row, index) => (
            <tr key={row.id}>
              {columns.map(({ key, name, placeholder }) => (
                <Cell key={key} className={key === 'domain' ? 'min-w-56 py-1' : 'min-w-32 py-1'}>
                  <TableCellInput
                    label={`${name}, row ${index + 1}`}
                    field={siteField(index, key)}
                    value={row.limit[key]?.toString()}
                    disabled={disabled}
                    error={errorOf(siteField(index, key))}
                    placeholder={placeholder}
                  />
                </Cell>
              ))}
              {!disabled && (
                <Cell className="w-10">
                  <Button variant="quiet" icon aria-label={`Remove row ${index + 1}`} onClick={() => remove(row)}>
                    <Trash2 aria-hidden="true" />
                  </Button>
                </Cell>
              )}
            </tr>
          ))}
        </Table>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {!disabled && (
          <Button ref={addButton} onClick={add}>
            <Plus aria-hidden="true" /> Add site limit
          </Button>
        )}
        <p className="text-xs text-muted">Shared by all runs of the project. Sites without a row are not limited.</p>
      </div>
      <Field label="robots.txt" hint="Never blocks a page; logged as a run event" className="max-w-80">
        {(controlProps) => (
          <Select
            {...controlProps}
            name="robots"
            defaultValue={politeness && politeness.robots !== 'ignore' ? 'report' : 'ignore'}
            disabled={disabled}
          >
            <option value="ignore">Ignore</option>
            <option value="report">Log disallowed pages</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
