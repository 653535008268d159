import type { SavedView } from '@pilothouse/contract/api/saved-views.routes';
import { Button, buttonClass, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { Bookmark, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useFetcher } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';

export interface SavedViewsProps {
  views: readonly SavedView[];
  /** Current filter as a query string; '': none. */
  search: string;
  role: 'viewer' | 'operator' | 'admin' | undefined;
}

/** Saved views of the run list, and a button to save the current one. */
export function SavedViews({ views, search, role }: SavedViewsProps) {
  const [open, setOpen] = useState(false);
  const deletion = useFetcher<{ failure?: Failure }>();
  if (views.length === 0 && search === '') return null;
  return (
    <nav aria-label="Saved views" className="mb-3 flex flex-wrap items-center gap-2">
      {views.map(({ id, name, search: viewSearch, shared, own: isOwn, createdBy: creator }) => (
        <span key={id} className="inline-flex">
          <Link
            to={`/runs?${viewSearch}`}
            aria-current={viewSearch === search ? 'page' : undefined}
            title={isOwn ? (shared ? 'Your view (shared)' : 'Your view') : `Shared by ${creator}`}
            className={buttonClass({ variant: viewSearch === search ? 'plain' : 'quiet' })}
          >
            <Bookmark aria-hidden="true" /> {name}
          </Link>
          {viewSearch === search && (isOwn || role === 'admin') && (
            <Button
              variant="quiet"
              icon
              aria-label={`Delete view ${name}`}
              disabled={deletion.state !== 'idle'}
              onClick={() => void deletion.submit({ intent: 'delete-view', view: id }, { method: 'post' })}
            >
              <Trash2 aria-hidden="true" />
            </Button>
          )}
        </span>
      ))}
      {search !== '' && !views.some((view) => view.own && view.search === search) && (
        <Button variant="quiet" onClick={() => setOpen(true)}>
          Save view
        </Button>
      )}
      {deletion.data?.failure && <Notice tone="bad">{deletion.data.failure.message}</Notice>}
      <Dialog open={open} onClose={() => setOpen(false)} title="Save view">
        <CreateSavedView search={search} canShare={role !== 'viewer'} onSaved={() => setOpen(false)} />
      </Dialog>
    </nav>
  );
}

function CreateSavedView({ search, canShare, onSaved }: { search: string; canShare: boolean; onSaved: () => void }) {
  const fetcher = useFetcher<{ failure?: Failure; result?: unknown }>();
  const isSaved = fetcher.state === 'idle' && fetcher.data !== undefined && !fetcher.data.failure;
  useEffect(() => {
    if (isSaved) onSaved();
  }, [isSaved, onSaved]);
  return (
    <fetcher.Form method="post" className="grid gap-3">
      <input type="hidden" name="intent" value="save-view" />
      <input type="hidden" name="search" value={search} />
      <Field label="Name" hint="Replaces your view with the same name.">
        {(controlProps) => <Input {...controlProps} name="name" required maxLength={80} />}
      </Field>
      {canShare && (
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" name="shared" className="size-4 accent-primary" />
          Share with the project
        </label>
      )}
      {fetcher.data?.failure && <Notice tone="bad">{fetcher.data.failure.message}</Notice>}
      <Button type="submit" variant="primary" className="justify-self-start" disabled={fetcher.state !== 'idle'}>
        Save
      </Button>
    </fetcher.Form>
  );
}
