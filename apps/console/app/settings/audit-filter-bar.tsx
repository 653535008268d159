import type { AuditExportFormat } from '@pilothouse/contract/api/audit.routes';
import { buttonClass, Button, Input, Select } from '@pilothouse/ui-kit';
import { Download, X } from 'lucide-react';
import { Form, Link } from 'react-router';
import { auditQueryOf, type AuditFilter } from './audit-filter.ts';

export interface AuditFilterBarProps {
  filter: AuditFilter;
  /** Operations by name, with their summaries. */
  actions: readonly { readonly name: string; readonly summary: string }[];
  /** Suggested actors: email addresses and names of keys. */
  actors: readonly string[];
}

const exportFormats = ['csv', 'ndjson'] as const satisfies readonly AuditExportFormat[];

const DAY_FIELDS = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

/** Filter of the audit log, and the export of the filtered entries. The URL contains the filter, so that it can be shared. */
export function AuditFilterBar({ filter, actions, actors }: AuditFilterBarProps) {
  const isFiltered = Object.values(filter).some((part) => part !== '');
  const exportHref = (format: string) =>
    `/api/v1/audit/export?${new URLSearchParams({ ...auditQueryOf(filter), format }).toString()}`;
  return (
    <Form
      role="search"
      aria-label="Filter audit entries"
      // Remounts the fields when the URL changes.
      key={JSON.stringify(filter)}
      className="mb-3 flex flex-wrap items-center gap-2"
    >
      <Input
        name="actor"
        list="audit-actors"
        defaultValue={filter.actor}
        placeholder="User or key"
        aria-label="Actor: email address, key name or id"
        className="md:max-w-52"
      />
      <datalist id="audit-actors">
        {actors.map((actor) => (
          <option key={actor} value={actor} />
        ))}
      </datalist>
      <Select name="action" defaultValue={filter.action} aria-label="Action" className="md:max-w-52">
        <option value="">Any action</option>
        {actions.map(({ name, summary }) => (
          <option key={name} value={name}>
            {summary}
          </option>
        ))}
      </Select>
      <Input
        name="target"
        defaultValue={filter.target}
        placeholder="Target"
        aria-label="Target: id or name"
        className="md:max-w-40"
      />
      {DAY_FIELDS.map(([name, label]) => (
        <label key={name} className="flex items-center gap-1 text-sm text-muted" title="Day in UTC">
          {label}
          <Input name={name} type="date" defaultValue={filter[name]} className="w-36!" />
        </label>
      ))}
      <Button type="submit">Filter</Button>
      {isFiltered && (
        <Link to="/settings/audit" className={buttonClass({ variant: 'quiet' })}>
          <X aria-hidden="true" /> Clear filters
        </Link>
      )}
      <span className="ml-auto flex gap-2">
        {exportFormats.map((format) => (
          <a key={format} href={exportHref(format)} download className={buttonClass()}>
            <Download aria-hidden="true" /> {format.toUpperCase()}
            <span className="sr-only"> export</span>
          </a>
        ))}
      </span>
    </Form>
  );
}
