import { unwrapData } from '@pilothouse/client';
import { Button, Card, Empty, Notice } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { data, Link, useFetcher, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { intentOf } from '../api/intent.server.ts';
import { filterOf, searchOf } from './run-filter.ts';
import { changeRuns, readRows } from './run-page.server.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { EmptyRuns } from './empty-runs.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RunTable } from './run-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { useRole } from '../shell/use-role.ts';
import { useLiveRows } from './use-live-rows.ts';

export const meta = () => [{ title: 'Runs · Pilothouse' }];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async (client) => {
    const search = new URL(asked.request.url).searchParams;
    const filter = filterOf(search);
    const [first, fleets, views] = await Promise.all([
      readRows(client, searchOf(filter)),
      unwrapData(client.api.GET('/v1/fleets')),
      unwrapData(client.api.GET('/v1/saved-views')),
    ]);
    return { filter, first, fleets: fleets.items.map(({ name }) => name), views: views.items };
  });

/** Cancels runs, or runs them again; keeps a view, or deletes one. */
export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const runs = form.getAll('run').filter((run) => typeof run === 'string');
  const intent = intentOf(form, ['cancel', 'retry', 'save-view', 'delete-view']);
  if (intent === 'save-view' || intent === 'delete-view') return changeViews(asked, intent, form);
  const answer = await tryApi(asked, (client) => changeRuns(client, runs, intent));
  return data(answer, { status: answer.failure ? 400 : 200 });
}

async function changeViews(asked: ActionFunctionArgs, intent: 'save-view' | 'delete-view', form: FormData) {
  const view = textOf(form, 'view');
  const body = {
    name: textOf(form, 'name'),
    search: textOf(form, 'search'),
    shared: form.get('shared') === 'on',
  };
  const { failure } = await tryApi(asked, async ({ api }) => {
    if (intent === 'delete-view') await api.DELETE('/v1/saved-views/{view}', { params: { path: { view } } });
    else await api.POST('/v1/saved-views', { body });
  });
  return data({ failure, done: undefined }, { status: failure ? 400 : 200 });
}

export default function Runs({
  loaderData: { filter, first, fleets, views },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const search = useMemo(() => searchOf(filter).toString(), [filter]);
  const { rows, stale, more, loadMore, see } = useLiveRows(first, search);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const role = useRole();
  useEffect(() => setSelected(new Set()), [search]);
  const select = useCallback(
    (run: string, is: boolean) =>
      setSelected((before) => new Set(is ? [...before, run] : [...before].filter((one) => one !== run))),
    [],
  );
  return (
    <>
      <PageHeader title="Runs">
        <span className="text-sm text-muted" role="status">
          {stale ? 'The connection is gone; trying again' : `${rows.length}${more ? '+' : ''} shown, live`}
        </span>
        <Link to="/live" prefetch="intent" className="text-sm text-muted underline">
          Wall
        </Link>
      </PageHeader>
      <SavedViews views={views} search={search} role={role} />
      <FilterBar filter={filter} fleets={fleets} />
      {role !== 'viewer' && (
        <Bulk
          rows={rows}
          selected={selected}
          onAll={() => setSelected(new Set(rows.map(({ id }) => id)))}
          onDone={() => setSelected(new Set())}
        />
      )}
      <Card flush>
        {rows.length > 0 ? (
          <RunTable rows={rows} selected={selected} onSelect={select} onEnd={loadMore} onSee={see} />
        ) : (
          <NoRuns filtered={search !== ''} />
        )}
      </Card>
    </>
  );
}

const NoRuns = ({ filtered }: { filtered: boolean }) =>
  filtered ? <Empty title="No run is like this">Take a part of the filter away to see more.</Empty> : <EmptyRuns />;

interface BulkProps {
  rows: ReturnType<typeof useLiveRows>['rows'];
  selected: ReadonlySet<string>;
  onAll: () => void;
  onDone: () => void;
}

/** What can be done with the runs that are selected. */
function Bulk({ rows, selected, onAll, onDone }: BulkProps) {
  const fetcher = useFetcher<typeof action>();
  const busy = fetcher.state !== 'idle';
  const chosen = rows.filter(({ id }) => selected.has(id));
  const open = chosen.filter(({ finishedAt }) => finishedAt === null);
  const over = chosen.filter(({ finishedAt }) => finishedAt !== null);
  const change = (intent: 'cancel' | 'retry', runs: typeof chosen) => {
    const form = new FormData();
    form.set('intent', intent);
    for (const { id } of runs) form.append('run', id);
    onDone();
    void fetcher.submit(form, { method: 'post' });
  };
  const answer = fetcher.data;
  if (chosen.length === 0 && !busy && !answer) return null;
  return (
    <div className="mb-3 grid gap-2" aria-live="polite">
      {(chosen.length > 0 || busy) && (
        <div className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-surface px-3 py-1.5 text-sm">
          <span>{chosen.length} selected</span>
          <Button look="quiet" onClick={onAll}>
            Select all {rows.length}
          </Button>
          <Button look="quiet" onClick={onDone}>
            Select none
          </Button>
          <ConfirmButton
            disabled={busy || open.length === 0}
            ask={{
              title: `Cancel ${open.length} ${open.length === 1 ? 'run' : 'runs'}?`,
              text: 'Each run stops after its current step. Recordings are kept.',
              verb: `Cancel ${open.length === 1 ? 'run' : 'runs'}`,
              onConfirm: () => change('cancel', open),
            }}
          >
            Cancel {open.length}
          </ConfirmButton>
          <Button disabled={busy || over.length === 0} onClick={() => change('retry', over)}>
            Run {over.length} again
          </Button>
        </div>
      )}
      {answer?.failure && <Notice tone="bad">{answer.failure.message}</Notice>}
      {answer?.done && (
        <Notice tone={answer.done.failed.length > 0 ? 'warn' : 'good'}>
          {answer.done.done} {answer.done.done === 1 ? 'run' : 'runs'} done
          {answer.done.failed.length > 0 && `, ${answer.done.failed.length} refused: ${answer.done.failed[0]?.message}`}
        </Notice>
      )}
    </div>
  );
}
