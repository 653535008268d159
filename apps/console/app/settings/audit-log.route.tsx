import { unwrapData } from '@pilothouse/client';
import { buttonClass, Card, Cell, classes, Empty, Table } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { changesOf } from '../shared/form-changes.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { auditFilterOf, auditQueryOf, auditSearchOf } from './audit-filter.ts';
import { auditedActions } from './audited-actions.server.ts';
import { auditLinksOf, auditNameOf, type AuditTarget } from './audit-links.ts';

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { searchParams } = new URL(args.request.url);
    const filter = auditFilterOf(searchParams);
    const cursor = searchParams.get('cursor') ?? undefined;
    const query = { limit: 200 };
    const [page, members, keys] = await Promise.all([
      unwrapData(api.GET('/v1/audit', { params: { query: { limit: 100, cursor, ...auditQueryOf(filter) } } })),
      unwrapData(api.GET('/v1/members', { params: { query } })),
      unwrapData(api.GET('/v1/api-keys', { params: { query } })),
    ]);
    const names = [...members.items.map(({ user }) => user.email), ...keys.items.map(({ name }) => name)];
    return { ...page, filter, actions: auditedActions, actors: [...new Set(names)] };
  });

export default function Audit({
  loaderData: { items, nextCursor, filter, actions, actors },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const isFiltered = Object.values(filter).some((part) => part !== '');
  return (
    <>
      <AuditFilterBar filter={filter} actions={actions} actors={actors} />
      <Card flush>
        {items.length === 0 && isFiltered ? (
          <Empty title="No matching entries">
            Change or clear the filters. Runs that API keys submit are not audited, and old entries are deleted.
          </Empty>
        ) : items.length === 0 ? (
          <Empty title="No audit entries yet">
            Records changes to keys, members, settings, workflows and fleets, and every sign-in, sign-out and failed
            sign-in.
          </Empty>
        ) : (
          <Table label="Audit log" head={['Time', 'User', 'Action', 'Target', 'Change', 'IP address']}>
            {items.map(
              ({
                id,
                at: time,
                actor,
                summary,
                action,
                resource,
                target,
                details,
                before: previous,
                after: next,
                address,
              }) => (
                <tr key={id}>
                  <Cell className="text-muted">
                    <TimeAgo time={time} />
                  </Cell>
                  <Cell>
                    {actor.name} <span className="text-xs text-muted">{actor.kind}</span>
                  </Cell>
                  <Cell className="min-w-48">
                    <span title={action}>{summary}</span>
                  </Cell>
                  <Cell className="max-w-64 text-xs">
                    <TargetLinks entry={{ resource, target, details }} />
                  </Cell>
                  <Cell className="max-w-80 py-1 font-mono text-xs wrap-anywhere">
                    {changesOf(previous, next).map(({ field, previous: previousValue, next: nextValue }) => (
                      <p key={field}>
                        {field}: <del className="text-muted">{previousValue}</del> →{' '}
                        <ins className="no-underline">{nextValue}</ins>
                      </p>
                    ))}
                  </Cell>
                  <Cell className="font-mono text-xs text-muted">{address}</Cell>
                </tr>
              ),
            )}
          </Table>
        )}
      </Card>
      {nextCursor && (
        <p className="mt-3 text-center">
          <Link
            to={`?${new URLSearchParams([...auditSearchOf(filter), ['cursor', nextCursor]]).toString()}`}
            className={buttonClass()}
          >
            Next page
          </Link>
        </p>
      )}
    </>
  );
}

/** Links of an entry; without links the name of its target, or else the target as text. */
function TargetLinks({ entry }: { entry: AuditTarget }) {
  const links = auditLinksOf(entry);
  const name = auditNameOf(entry);
  if (links.length === 0)
    return (
      <span className={classes('block truncate', name === null && 'font-mono')} title={entry.target ?? undefined}>
        {name ?? entry.target}
      </span>
    );
  return (
    <ul>
      {links.map(({ label, href }) => (
        <li key={href}>
          <Link to={href} className="block truncate leading-6 underline">
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
