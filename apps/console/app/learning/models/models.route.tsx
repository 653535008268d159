import { unwrapData } from '@pilothouse/client';
import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import { buttonClass, Card, Cell, Empty, Table } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { PageLinks } from '../page-links.tsx';
import { StageBadge } from './model-stages.tsx';
import { RateWithInterval } from './rate-with-interval.tsx';

const REFRESH_INTERVAL_MS = 15_000;
const PAGE_SIZE = 50;

export const meta = () => [{ title: 'Models · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const cursor = new URL(args.request.url).searchParams.get('cursor');
    const query = { limit: PAGE_SIZE, ...(cursor !== null && { cursor }) };
    const page = await unwrapData(api.GET('/v1/registry/models', { params: { query } }));
    return { models: page.items, nextCursor: page.nextCursor, isFirst: cursor === null };
  });

export default function Models({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { models, nextCursor, isFirst } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const isAdmin = useRole() === 'admin';
  const register = isAdmin && (
    <Link to="/learning/models/new" className={buttonClass({ variant: 'primary' })}>
      Register model
    </Link>
  );
  return (
    <>
      <PageHeader title="Models" actions={models.length > 0 && register}>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <Card flush>
        {models.length === 0 ? (
          <Empty title="No registered models" actions={register}>
            A registered model replaces the models of the project for some calls. A tuning job registers its model.
          </Empty>
        ) : (
          <Table
            label="Registered models"
            isFirstFixed
            head={[
              'Name',
              'Stage',
              'Role',
              'Surface',
              'Model',
              'Base',
              'Success with model',
              'Success without model',
              'Since',
            ]}
          >
            {models.map((model) => (
              <ModelRow key={model.id} model={model} />
            ))}
          </Table>
        )}
      </Card>
      <PageLinks first={isFirst ? null : ''} next={nextCursor ? `cursor=${encodeURIComponent(nextCursor)}` : null} />
    </>
  );
}

function ModelRow({ model }: { model: RegisteredModel }) {
  return (
    <tr>
      <Cell className="min-w-36 py-1.5 font-medium wrap-anywhere">
        <Link to={`/learning/models/${model.name}`} className="underline">
          {model.name}
        </Link>
      </Cell>
      <Cell>
        <StageBadge model={model} />
      </Cell>
      <Cell>{model.role ?? 'All'}</Cell>
      <Cell>{model.surface ?? 'All'}</Cell>
      <Cell className="max-w-56 truncate text-muted">
        <span title={model.model}>{model.model}</span>
      </Cell>
      <Cell className="max-w-56 truncate text-muted">
        <span title={model.base ?? undefined}>{model.base ?? '—'}</span>
      </Cell>
      <Cell className="py-1.5">
        <RateWithInterval rate={model.runs?.candidate} empty="No runs" />
      </Cell>
      <Cell className="py-1.5">
        <RateWithInterval rate={model.runs?.base} empty="No runs" />
      </Cell>
      <Cell className="text-muted">
        <TimeAgo time={model.stageChangedAt} />
      </Cell>
    </tr>
  );
}
