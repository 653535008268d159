import { Badge, buttonClass, Button, classes, Input, Select } from '@pilothouse/ui-kit';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { X } from 'lucide-react';
import { Form, Link, useSubmit } from 'react-router';
import { runStatuses, type RunFilter } from './run-filter.ts';
import { shortId } from '../shared/number-format.ts';
import { runStatusLabels } from '../shared/status-badge.tsx';
import { originLabels } from '../shared/labels.ts';
import { surfaceLabel } from '../shared/surface-labels.ts';

const spanNames = { '1h': 'Last hour', '24h': 'Last 24 h', '7d': 'Last 7 days', '30d': 'Last 30 days' } as const;

/** A fleet that the filter offers. */
interface FleetOption {
  name: string;
  surface: SurfaceKind;
}

/** Filter of the run list. The URL contains all of it, so that views can be saved and shared. */
export function FilterBar({ filter, fleets }: { filter: RunFilter; fleets: readonly FleetOption[] }) {
  const submit = useSubmit();
  const surfaces = [...new Set(fleets.map(({ surface }) => surface))];
  const isFiltered = Object.values(filter).some((part) => part.length > 0);
  return (
    <Form
      role="search"
      // Remounts the fields when the URL changes.
      key={JSON.stringify(filter)}
      className="mb-3 flex flex-wrap items-center gap-2"
      onChange={({ currentTarget, target }) => {
        if (!(target instanceof HTMLInputElement && target.type === 'search')) void submit(currentTarget);
      }}
    >
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">Status</legend>
        {runStatuses.map((status) => (
          <label
            key={status}
            className={classes(
              buttonClass(
                {},
                'px-2 has-checked:border-primary has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-accent',
              ),
            )}
          >
            <input
              type="checkbox"
              name="status"
              value={status}
              defaultChecked={filter.status.includes(status)}
              className="sr-only"
            />
            {runStatusLabels[status].label}
          </label>
        ))}
      </fieldset>
      <Input
        name="text"
        type="search"
        defaultValue={filter.text}
        placeholder="Search"
        aria-label="Search by name, goal, error or id"
        data-shortcut="/"
        className="max-w-40"
      />
      <Input
        name="label"
        type="search"
        defaultValue={filter.label}
        placeholder="label:value"
        aria-label="Label, as name:value"
        className="max-w-32"
      />
      <Button type="submit">Search</Button>
      {fleets.length > 1 && (
        <Select name="fleet" defaultValue={filter.fleet} aria-label="Fleet" className="max-w-32">
          <option value="">All fleets</option>
          {fleets.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
      {surfaces.length > 1 && (
        <Select name="surface" defaultValue={filter.surface} aria-label="Surface" className="max-w-36">
          <option value="">All surfaces</option>
          {surfaces.map((surface) => (
            <option key={surface} value={surface}>
              {surfaceLabel(surface)}
            </option>
          ))}
        </Select>
      )}
      <Select name="origin" defaultValue={filter.origin} aria-label="Started by" className="max-w-32">
        <option value="">Any origin</option>
        {Object.entries(originLabels).map(([origin, label]) => (
          <option key={origin} value={origin}>
            {label.replace(/ of$/, '')}
          </option>
        ))}
      </Select>
      <Select name="span" defaultValue={filter.span} aria-label="Created" className="max-w-32">
        <option value="">Any time</option>
        {Object.entries(spanNames).map(([span, name]) => (
          <option key={span} value={span}>
            {name}
          </option>
        ))}
      </Select>
      {filter.workflow && <input type="hidden" name="workflow" value={filter.workflow} />}
      {filter.error && <input type="hidden" name="error" value={filter.error} />}
      {filter.parent && <input type="hidden" name="parent" value={filter.parent} />}
      {[filter.workflow, filter.error].filter(Boolean).map((value) => (
        <Badge key={value}>Only {value}</Badge>
      ))}
      {filter.parent && <Badge>Child runs of {shortId(filter.parent)}</Badge>}
      {isFiltered && (
        <Link to="/runs" className={buttonClass({ variant: 'quiet' })}>
          <X aria-hidden="true" /> Clear filters
        </Link>
      )}
    </Form>
  );
}
