import { buttonClass, Button, Input, Select } from '@pilothouse/ui-kit';
import { X } from 'lucide-react';
import { Form, Link, useSubmit } from 'react-router';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { queueSearchOf, reviewLabels, type QueueFilter } from './trace-filter.ts';
import { traceQualityLabels } from './trace-quality.ts';

export interface TraceFilterBarProps {
  filter: QueueFilter;
  /** Offered values. The value of the filter is added. */
  workflows: readonly string[];
  models: readonly string[];
}

/** Filter of the review queue. The URL contains all of it. */
export function TraceFilterBar({ filter, workflows, models }: TraceFilterBarProps) {
  const submit = useSubmit();
  return (
    <Form
      role="search"
      // Remounts the fields when the URL changes.
      key={JSON.stringify(filter)}
      className="mb-3 flex flex-wrap items-center gap-2"
      onChange={({ currentTarget, target }) => {
        if (!(target instanceof HTMLInputElement && target.type !== 'checkbox')) void submit(currentTarget);
      }}
    >
      <Select name="review" defaultValue={filter.review} aria-label="Review" className="max-w-40">
        {Object.entries(reviewLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">Quality</legend>
        {Object.entries(traceQualityLabels).map(([quality, { label }]) => (
          <label
            key={quality}
            className={buttonClass(
              {},
              'px-2 has-checked:border-primary has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-accent',
            )}
          >
            <input
              type="checkbox"
              name="quality"
              value={quality}
              defaultChecked={filter.quality.some((selected) => selected === quality)}
              className="sr-only"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <Input
        name="text"
        type="search"
        defaultValue={filter.text}
        placeholder="Search"
        aria-label="Search by goal, workflow or run id"
        data-shortcut="/"
        className="max-w-44"
      />
      <OptionSelect
        name="workflow"
        label="Workflow"
        allLabel="All workflows"
        value={filter.workflow}
        options={workflows}
      />
      <OptionSelect name="model" label="Model" allLabel="All models" value={filter.model} options={models} />
      <Select name="surface" defaultValue={filter.surface} aria-label="Surface" className="max-w-36">
        <option value="">All surfaces</option>
        {Object.entries(surfaceTraits).map(([kind, { label }]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </Select>
      <span className="flex flex-wrap gap-2">
        <DayInput name="from" label="From" title="First day of the run (UTC)" value={filter.from} />
        <DayInput name="to" label="To" title="Last day of the run (UTC)" value={filter.to} />
      </span>
      <Button type="submit">Search</Button>
      {queueSearchOf(filter).size > 0 && (
        <Link to="/learning/traces" className={buttonClass({ variant: 'quiet' })}>
          <X aria-hidden="true" /> Clear filters
        </Link>
      )}
    </Form>
  );
}

interface DayInputProps {
  name: string;
  label: string;
  title: string;
  value: string;
}

const DayInput = ({ name, label, title, value }: DayInputProps) => (
  <label className="flex items-center gap-1.5 text-xs text-muted" title={title}>
    {label}
    <Input name={name} type="date" defaultValue={value} className="max-w-36" />
  </label>
);

interface OptionSelectProps {
  name: string;
  label: string;
  /** Text of the option without a value. */
  allLabel: string;
  value: string;
  options: readonly string[];
}

const OptionSelect = ({ name, label, allLabel, value, options }: OptionSelectProps) =>
  (options.length > 1 || value !== '') && (
    <Select name={name} defaultValue={value} aria-label={label} className="max-w-44">
      <option value="">{allLabel}</option>
      {[...new Set([...options, ...(value === '' ? [] : [value])])].map((option) => (
        <option key={option}>{option}</option>
      ))}
    </Select>
  );
