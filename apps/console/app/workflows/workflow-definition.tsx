import { Card, Select } from '@pilothouse/ui-kit';
import { Form, useSubmit } from 'react-router';
import { DiffView } from '../shared/diff-view.tsx';
import type { DiffLine } from '@pilothouse/core/workflow/line-diff';
import { TimeAgo } from '../shared/relative-time.tsx';

interface VersionSummary {
  version: number;
  published: boolean;
  createdAt: string;
}

export interface WorkflowDefinitionProps {
  workflow: { version: number };
  yaml: string;
  versions: readonly VersionSummary[];
  comparedVersion: number | undefined;
  diff: readonly DiffLine[] | undefined;
}

/** The source of a version and, above it, its difference from another version. */
export function WorkflowDefinition({ workflow, yaml, versions, comparedVersion, diff }: WorkflowDefinitionProps) {
  const submit = useSubmit();
  const { version } = workflow;
  const current = versions.find((candidate) => candidate.version === version);
  const labelOf = ({ version: number, published }: VersionSummary) => `v${number}${published ? ', published' : ''}`;
  return (
    <Card
      title="Source"
      actions={
        <Form
          className="flex flex-wrap items-center gap-2"
          onChange={({ currentTarget }) => void submit(currentTarget)}
        >
          <Select name="version" aria-label="Version" value={version} onChange={() => undefined} className="w-auto!">
            {versions.map((option) => (
              <option key={option.version} value={option.version}>
                {labelOf(option)}
              </option>
            ))}
          </Select>
          <Select
            name="against"
            aria-label="Compare with"
            value={comparedVersion ?? ''}
            onChange={() => undefined}
            className="w-auto!"
          >
            <option value="">No comparison</option>
            {versions
              .filter((otherVersion) => otherVersion.version !== version)
              .map((otherVersion) => (
                <option key={otherVersion.version} value={otherVersion.version}>
                  Compare with {labelOf(otherVersion)}
                </option>
              ))}
          </Select>
        </Form>
      }
    >
      {current && (
        <p className="mb-2 text-xs text-muted">
          v{version} created <TimeAgo time={current.createdAt} />
        </p>
      )}
      {diff && (
        <section className="mb-3 grid gap-1.5">
          <h3 className="text-xs font-medium text-muted">
            Changes from v{comparedVersion} to v{version}
          </h3>
          <DiffView lines={diff} />
        </section>
      )}
      {diff && <h3 className="mb-1.5 text-xs font-medium text-muted">Source of v{version}</h3>}
      <pre
        tabIndex={0}
        role="region"
        aria-label="Workflow source (YAML)"
        className="max-h-[70vh] overflow-auto font-mono text-xs leading-5"
      >
        {yaml}
      </pre>
    </Card>
  );
}
