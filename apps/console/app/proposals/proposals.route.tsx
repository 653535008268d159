import { Card, Empty } from '@pilothouse/ui-kit';
import { Link, useRevalidator, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../api/form-fields.server.ts';
import { readProposals } from './proposal-diffs.server.ts';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { ProposalCard } from './proposal-card.tsx';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { useRole } from '../page/use-role.ts';

const REFRESH_INTERVAL_MS = 5_000;

export const meta = () => [{ title: 'Proposals · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const [open, decided] = await Promise.all([
      readProposals(client, { status: ['open'] }),
      readProposals(client, { status: ['published', 'rejected', 'superseded'] }),
    ]);
    return [...open, ...decided];
  });

/** Publishes or rejects a proposal. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const params = { path: { proposal: textOf(form, 'proposal') } };
  const isTrue = (name: string) => textOf(form, name) === 'true';
  const intent = intentOf(form, ['publish', 'reject']);
  const { failure } = await tryApi<unknown>(args, ({ api }) => {
    switch (intent) {
      case 'publish':
        return api.POST('/v1/proposals/{proposal}/publish', {
          params,
          body: { skipVerification: isTrue('skipVerification'), ...(isTrue('verifyFirst') && { verifyFirst: true }) },
        });
      case 'reject':
        return api.POST('/v1/proposals/{proposal}/reject', { params });
      default:
        return assertNever(intent);
    }
  });
  return { failure };
}

export default function Proposals({ loaderData: proposals }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const { revalidate } = useRevalidator();
  const isAdmin = useRole() === 'admin';
  return (
    <>
      <PageHeader title="Proposals">
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {proposals.length === 0 ? (
        <Card>
          <Empty title="No proposals">
            A proposal is a new workflow version for you to review. To get one, add{' '}
            <code className="whitespace-nowrap">heal: auto</code> to a{' '}
            <Link to="/workflows" className="underline">
              workflow
            </Link>{' '}
            whose pages change, or open a completed goal{' '}
            <Link to="/runs?status=completed" className="underline">
              run
            </Link>{' '}
            and choose <b>Compile</b>.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-3">
          {proposals.map((item) => (
            <Card key={item.proposal.id}>
              <ProposalCard proposalWithDiff={item} canDecide={isAdmin} onDecided={() => void revalidate()} />
            </Card>
          ))}
        </div>
      )}
    </>
  );
}
