import type { DatasetCard, DatasetDetail } from '@pilothouse/contract/learning/dataset.schema';
import { Card, Cell, Table } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { count, size } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { FactList } from '../fact-list.tsx';
import { StepLinks } from './step-links.tsx';
import { qualityChoices, sourceChoices } from './dataset-form.ts';
import { splitLabels } from './export-labels.ts';

/** Counts and omissions of a dataset. */
export const DatasetContent = ({ card }: { card: DatasetCard }) => (
  <>
    <Counts card={card} />
    <Omissions card={card} />
  </>
);

/** Query, license, consent, files and hashes of a dataset. */
export const DatasetTerms = ({ dataset }: { dataset: DatasetDetail }) => (
  <>
    <Card title="Query and terms">
      <FactList facts={termsOf(dataset)} />
    </Card>
    {dataset.card && <Files card={dataset.card} />}
  </>
);

function Counts({ card: { counts, splits, qualities, surfaces, workflows, models } }: { card: DatasetCard }) {
  return (
    <Card title="Content">
      <div className="grid gap-4">
        <FactList
          facts={[
            ['Steps', count(counts.examples)],
            ['Traces', count(counts.traces)],
            ['Screenshots', `${count(counts.images)} (${size(counts.bytes)})`],
            ['Pairs of workflow and site', count(counts.groups)],
            ['Corrections', count(counts.corrections)],
            ['Duplicates left out', count(counts.duplicates)],
            ['Redactions', count(counts.redactions)],
          ]}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-5">
          <CountTable label="Split" counts={splits} names={splitLabels} />
          <CountTable label="Quality" counts={qualities} names={qualityChoices} />
          <CountTable label="Surface" counts={surfaces} names={surfaceNames} />
          <CountTable label="Workflow" counts={workflows} names={{ '': 'Without a workflow' }} />
          <CountTable label="Model" counts={models} names={{ none: 'No model' }} />
        </div>
      </div>
    </Card>
  );
}

const surfaceNames = Object.fromEntries(Object.entries(surfaceTraits).map(([kind, { label }]) => [kind, label]));

interface CountTableProps {
  label: string;
  counts: Readonly<Record<string, number>>;
  /** Labels of values; other values are shown as they are. */
  names: Readonly<Record<string, string>>;
}

/** Steps by value, most first. */
function CountTable({ label, counts, names }: CountTableProps) {
  const rows = Object.entries(counts).sort(([, left], [, right]) => right - left);
  return (
    <div className="max-h-80 overflow-y-auto" role="region" tabIndex={0} aria-label={`Steps by ${label.toLowerCase()}`}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            <th scope="col" className="h-7 font-medium">
              {label}
            </th>
            <th scope="col" className="h-7 text-right font-medium">
              Steps
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([value, steps]) => (
            <tr key={value}>
              <td className="py-0.5 pr-2 wrap-anywhere">{names[value] ?? value}</td>
              <td className="py-0.5 text-right tabular-nums">{count(steps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Omissions = ({ card: { omissions, counts } }: { card: DatasetCard }) => (
  <Card title="Steps left out" flush>
    {omissions.length === 0 ? (
      <p className="p-3 text-sm text-muted">
        {counts.duplicates === 0 ? 'No step was left out.' : 'Only duplicates were left out.'}
      </p>
    ) : (
      <Table label="Steps left out" head={['Reason', 'Count', 'Steps']}>
        {omissions.map(({ reason, count: omitted, steps }) => (
          <tr key={reason}>
            <Cell className="min-w-48 py-1.5 wrap-anywhere">{reason}</Cell>
            <Cell className="tabular-nums">{count(omitted)}</Cell>
            <Cell className="py-1.5">
              <StepLinks steps={steps} total={omitted} />
            </Cell>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);

const Files = ({ card: { files, sha256, builder } }: { card: DatasetCard }) => (
  <Card title="Files and hashes" flush>
    <p className="border-b border-line p-3 text-sm">
      <span className="text-muted">SHA-256 of the dataset</span>{' '}
      <span className="font-mono text-xs wrap-anywhere">{sha256}</span>{' '}
      <span className="text-muted">Format {builder}</span>
    </p>
    <div className="max-h-96 overflow-y-auto">
      <Table label="Files" head={['File', 'Steps', 'Size', 'SHA-256']}>
        {files.map((file) => (
          <tr key={file.name}>
            <Cell className="font-mono text-xs whitespace-nowrap">{file.name}</Cell>
            <Cell className="tabular-nums">{count(file.examples)}</Cell>
            <Cell className="whitespace-nowrap">{size(file.bytes)}</Cell>
            <Cell className="font-mono text-xs text-muted">{file.sha256}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  </Card>
);

function termsOf(dataset: DatasetDetail): [string, ReactNode][] {
  const { query, shares, seed, license, consent, createdBy, createdAt, finishedAt } = dataset;
  const { workflows, surfaces, sites, models, qualities, sources, from: start, to: end, projects } = query;
  const list = (values: readonly string[] | undefined, fallback: string) => values?.join(', ') ?? fallback;
  const percent = (share: number) => `${Number((share * 100).toFixed(2))}%`;
  return [
    ['Workflows', list(workflows, 'All')],
    ['Sites', list(sites, 'All')],
    ['Models', list(models, 'All')],
    [
      'Surfaces',
      list(
        surfaces?.map((kind) => surfaceTraits[kind].label),
        'All',
      ),
    ],
    [
      'Qualities',
      list(
        qualities.map((quality) => qualityChoices[quality]),
        'All',
      ),
    ],
    [
      'Quality set by',
      list(
        sources?.map((source) => sourceChoices[source]),
        'All',
      ),
    ],
    ['Runs created from', start === undefined ? 'Any time' : utcText(start)],
    ['Runs created before', end === undefined ? 'Any time' : utcText(end)],
    ['Further projects', list(projects, 'None')],
    [
      'Splits',
      `${percent(shares.train)} train, ${percent(shares.validation)} validation, ${percent(shares.test)} test`,
    ],
    ['Seed', seed],
    ['License', license],
    ['Consent', consent],
    [
      'Created',
      <span key="created">
        <TimeAgo time={createdAt} /> by {createdBy?.name ?? 'Pilothouse'}
      </span>,
    ],
    ['Finished', finishedAt === null ? '—' : <TimeAgo key="finished" time={finishedAt} />],
  ];
}

const utcText = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;
