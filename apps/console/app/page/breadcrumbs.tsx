import type { RunView } from '@pilothouse/contract/run/run.schema';
import { classes } from '@pilothouse/ui-kit';
import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';
import { shortId } from '../shared/number-format.ts';

export interface Breadcrumb {
  label: string;
  /** Missing: the current page. */
  href?: string;
  /** True for ids. */
  isMonospace?: boolean;
}

/** Links to the ancestors of the current page, from the top level down. */
export const Breadcrumbs = ({ items }: { items: readonly Breadcrumb[] }) => (
  <nav aria-label="Breadcrumb" className="mb-1">
    <ol className="flex flex-wrap items-center gap-1 text-xs text-muted">
      {items.map(({ label, href, isMonospace }) => (
        <li key={href ?? label} className={classes('flex min-w-0 items-center gap-1', isMonospace && 'font-mono')}>
          {href === undefined ? (
            <span aria-current="page" className="wrap-anywhere">
              {label}
            </span>
          ) : (
            <>
              <Link to={href} className="rounded wrap-anywhere hover:text-text hover:underline">
                {label}
              </Link>
              <ChevronRight aria-hidden="true" className="size-3 shrink-0" />
            </>
          )}
        </li>
      ))}
    </ol>
  </nav>
);

const workflows: Breadcrumb = { label: 'Workflows', href: '/workflows' };

/** Breadcrumbs of a page below the workflows, or below a workflow. @param page label of the page */
export const workflowBreadcrumbs = (page: string, workflow?: string): readonly Breadcrumb[] => [
  workflows,
  ...(workflow === undefined ? [] : [{ label: workflow, href: `/workflows/${workflow}` }]),
  { label: page },
];

/**
 * Breadcrumbs of a run's page, or of a page below it.
 * @param page label of the page below the run
 */
export function runBreadcrumbs({ id, workflow }: Pick<RunView, 'id' | 'workflow'>, page?: string): Breadcrumb[] {
  const run: Breadcrumb = { label: shortId(id), isMonospace: true };
  return [
    { label: 'Runs', href: '/runs' },
    // A run without a stored workflow has no workflow page.
    ...(workflow?.id
      ? [
          { label: workflow.name, href: `/workflows/${workflow.name}` },
          { label: `v${workflow.version}`, href: `/workflows/${workflow.name}?version=${workflow.version}` },
        ]
      : []),
    ...(page === undefined ? [run] : [{ ...run, href: `/runs/${id}` }, { label: page }]),
  ];
}
