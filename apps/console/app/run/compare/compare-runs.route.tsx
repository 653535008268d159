import { Card, Notice } from '@pilothouse/ui-kit';
import { Form, useSubmit, type LoaderFunctionArgs } from 'react-router';
import { requireSession, withApi } from '../../api/api-client.server.ts';
import { runTitle } from '../../runs/run-row.ts';
import { runBreadcrumbs } from '../../page/breadcrumbs.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { compareSteps } from './compare-steps.ts';
import { readComparison, type Comparison } from './compare-runs.loader.server.ts';
import { RunSelect, RunSummary } from './compared-run.tsx';
import { StepPairs } from './step-pairs.tsx';

export const meta = () => [{ title: 'Compare runs · Pilothouse' }];

export const loader = async (args: LoaderFunctionArgs) => {
  await requireSession(args);
  return withApi(args, (client) => readComparison(client, new URL(args.request.url).searchParams));
};

/** Two runs side by side, step by step. */
export default function CompareRuns({ loaderData: { left, right, choices } }: { loaderData: Comparison }) {
  const submit = useSubmit();
  const selects = (
    <Form
      method="get"
      className="mb-3 grid gap-3 md:grid-cols-2"
      onChange={({ currentTarget }) => void submit(currentTarget)}
    >
      <RunSelect name="left" label="Left run" selected={left?.run.id} choices={choices} />
      <RunSelect name="right" label="Right run" selected={right.run.id} choices={choices} />
    </Form>
  );
  return (
    <>
      <PageHeader
        breadcrumbs={runBreadcrumbs(right.run, 'Compare')}
        title={titleOf(left && runTitle(left.run), runTitle(right.run))}
      />
      {selects}
      {left ? (
        <ComparedSteps left={left} right={right} />
      ) : (
        <Notice>This workflow has no earlier run. Select a run to compare.</Notice>
      )}
    </>
  );
}

/** Title of the comparison. @param left null: no left run is selected */
const titleOf = (left: string | null, right: string): string =>
  left === null || left === right ? `Compare runs of ${right}` : `Compare ${left} and ${right}`;

function ComparedSteps({ left, right }: { left: NonNullable<Comparison['left']>; right: Comparison['right'] }) {
  const [leftWorkflow, rightWorkflow] = [left.run.workflow, right.run.workflow];
  // Runs without a stored workflow have no version, and their definitions may differ.
  const isSameVersion =
    Boolean(leftWorkflow?.id) &&
    leftWorkflow?.id === rightWorkflow?.id &&
    leftWorkflow?.version === rightWorkflow?.version;
  const pairs = compareSteps(left.state, right.state, isSameVersion);
  return (
    <Card flush>
      <div className="grid grid-cols-2 gap-x-3 border-b border-line px-3 py-2">
        <RunSummary run={left.run} state={left.state} />
        <RunSummary run={right.run} state={right.state} />
      </div>
      <StepPairs left={left.state} right={right.state} pairs={pairs} />
    </Card>
  );
}
