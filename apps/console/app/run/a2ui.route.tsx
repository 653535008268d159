import { unwrapData } from '@pilothouse/client';
import { a2uiClientMessageSchema } from '@pilothouse/contract/a2ui/a2ui.schema';
import { Card, Notice } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useState, type ComponentType } from 'react';
import { useFetcher, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf, badFormResponse } from '../api/form-fields.server.ts';
import { runTitle } from '../runs/run-row.ts';
import type { Connection } from '../shared/event-source.ts';
import type { A2uiStreamProps } from './a2ui/a2ui-stream.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { runBreadcrumbs } from '../page/breadcrumbs.tsx';

export const meta = () => [{ title: 'A2UI view · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const run = await unwrapData(api.GET('/v1/runs/{run}', { params: { path: { run: args.params.run ?? '' } } }));
    return { id: run.id, workflow: run.workflow, name: runTitle(run) };
  });

/** Forwards an A2UI client message of the surface. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const params = { path: { run: args.params.run ?? '' } };
  const body = messageOf(textOf(form, 'message'));
  const { failure } = await tryApi(args, ({ api }) => api.POST('/v1/runs/{run}/a2ui', { params, body: body as never }));
  return { failure };
}

function messageOf(text: string) {
  try {
    return a2uiClientMessageSchema.parse(JSON.parse(text));
  } catch {
    throw badFormResponse('Field "message" must be an A2UI client message in JSON. Reload the page.');
  }
}

export const shouldRevalidate = ({ currentUrl, nextUrl }: { currentUrl: URL; nextUrl: URL }) =>
  currentUrl.pathname !== nextUrl.pathname;

export default function A2uiPage({
  loaderData: { id, workflow, name },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const [Stream, setStream] = useState<ComponentType<A2uiStreamProps>>();
  const [connection, setConnection] = useState<Connection>('live');
  const { submit, data } = useFetcher<typeof action>();
  // Only this page loads the renderer, and only in the browser.
  useEffect(() => {
    if (!import.meta.env.SSR) void import('./a2ui/a2ui-stream.tsx').then((module) => setStream(() => module.default));
  }, []);
  const act = useCallback(
    (action: object) => void submit({ message: JSON.stringify({ version: 'v0.9', action }) }, { method: 'post' }),
    [submit],
  );
  return (
    <>
      <PageHeader breadcrumbs={runBreadcrumbs({ id, workflow }, 'A2UI view')} title={name}>
        <span role="status" className="text-xs text-muted">
          {connection === 'lost' ? 'Connection lost. Reconnecting…' : connection === 'live' ? 'live' : ''}
        </span>
      </PageHeader>
      {data?.failure && (
        <div className="mb-3">
          <Notice tone="bad">{data.failure.message}</Notice>
        </div>
      )}
      {/* The renderer would inject a style sheet for a field that no run uses, which the content security policy blocks. It skips that if this id exists. */}
      <span id="a2ui-date-time-input-webkit-styles" hidden />
      <Card className="max-w-3xl">
        {Stream ? (
          <Stream run={id} onAction={act} onConnection={setConnection} />
        ) : (
          <p className="text-sm text-muted">Connecting…</p>
        )}
      </Card>
    </>
  );
}
