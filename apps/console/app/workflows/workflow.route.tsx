import { unwrapData } from '@pilothouse/client';
import { Badge, Button, buttonClass, Card, Notice, Select } from '@pilothouse/ui-kit';
import { Download, Pencil, Play } from 'lucide-react';
import {
  Form,
  Link,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { diffLines } from '../shared/line-diff.ts';
import { textOf } from '../api/form-fields.server.ts';
import { assertNever, intentOf } from '../api/intent.server.ts';
import { withThumbnailUrl } from '../api/object-urls.server.ts';
import { readRows } from '../runs/run-page.server.ts';
import { readVersion, versionOf } from './workflow-files.server.ts';
import { sourceTextOf, yamlOf } from './workflow-yaml.server.ts';
import { DiffView } from '../shared/diff-view.tsx';
import { ConnectionStatus } from '../shell/connection-lost.tsx';
import { DropdownMenu } from '../shared/dropdown-menu.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { ThumbnailForm } from './thumbnail-form.tsx';
import { RunList } from '../runs/run-list.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { useRole } from '../shell/use-role.ts';
import { LastRun, Success, WorkflowKinds, WorkflowThumbnail } from './workflow-stats.tsx';

/** Milliseconds between two looks. */
const everyMs = 5_000;

/** Runs that are listed, and versions that can be chosen. */
const listed = { runs: 10, versions: 100 };

export const meta = ({ params }: { params: { workflow?: string } }) => [{ title: `${params.workflow} · Pilothouse` }];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async (client) => {
    const { api } = client;
    const search = new URL(asked.request.url).searchParams;
    const numberOf = (name: string) => Number(search.get(name)) || undefined;
    const path = { workflow: asked.params.workflow ?? '' };
    const chosen = versionOf(asked.request);
    const read = (version: number | undefined) => readVersion(client, path.workflow, version);
    const against = numberOf('against');
    const [{ definition, source, ...workflow }, versions, runs, figures, other] = await Promise.all([
      read(chosen),
      unwrapData(api.GET('/v1/workflows/{workflow}/versions', { params: { path, query: { limit: listed.versions } } })),
      readRows(client, new URLSearchParams(path), listed.runs),
      unwrapData(api.GET('/v1/workflows/{workflow}/stats', { params: { path } })),
      against === undefined ? undefined : read(against),
    ]);
    // Two that were not written in the same way differ in more than what they do.
    const asWritten = source !== null && other?.source !== null;
    const textOfVersion = asWritten ? sourceTextOf : (version: { definition: unknown }) => yamlOf(version.definition);
    const yaml = textOfVersion({ definition, source });
    return {
      workflow,
      chosen,
      yaml,
      against,
      diff: other && diffLines(textOfVersion(other), yaml),
      versions: versions.items.map(({ version, published, createdAt }) => ({ version, published, createdAt })),
      runs: runs.rows,
      figures: withThumbnailUrl(figures, asked.context.get(renderContext).objectsEndpoint),
    };
  });

/** Publishes a version, puts the workflow away and back, or gives it a picture. */
export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const params = { path: { workflow: asked.params.workflow ?? '' } };
  const intent = intentOf(form, ['publish', 'archive', 'unarchive', 'set-thumbnail', 'remove-thumbnail']);
  const { failure } = await tryApi<unknown>(asked, ({ api }) => {
    switch (intent) {
      case 'publish': {
        const body = { version: Number(textOf(form, 'version')) };
        return api.POST('/v1/workflows/{workflow}/publish', { params, body });
      }
      case 'archive':
        return api.POST('/v1/workflows/{workflow}/archive', { params });
      case 'unarchive':
        return api.POST('/v1/workflows/{workflow}/unarchive', { params });
      case 'set-thumbnail':
        return api.PUT('/v1/workflows/{workflow}/thumbnail', { params, body: { image: textOf(form, 'thumbnail') } });
      case 'remove-thumbnail':
        return api.DELETE('/v1/workflows/{workflow}/thumbnail', { params });
      default:
        return assertNever(intent);
    }
  });
  return { failure };
}

type Loaded = Awaited<ReturnType<typeof loader>>;

export default function Workflow({ loaderData }: { loaderData: Loaded }) {
  const { workflow, chosen, runs, figures } = loaderData;
  const { name, title, description, surface, version, published, archived } = workflow;
  const connection = useAutoRefresh(everyMs);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const busy = useNavigation().state !== 'idle';
  const failure = useActionData<typeof action>()?.failure;
  return (
    <>
      <PageHeader
        title={name}
        actions={
          canOperate && (
            <>
              <Export name={name} version={version} />
              {role === 'admin' && (
                <Form method="post" className="flex gap-2">
                  <input type="hidden" name="version" value={version} />
                  {!published && !archived && (
                    <Button type="submit" name="intent" value="publish" disabled={busy}>
                      {version < (workflow.publishedVersion ?? 0) ? 'Roll back to' : 'Publish'} v{version}
                    </Button>
                  )}
                  <Button
                    type="submit"
                    name="intent"
                    value={archived ? 'unarchive' : 'archive'}
                    look="quiet"
                    disabled={busy}
                  >
                    {archived ? 'Take out of the archive' : 'Archive'}
                  </Button>
                </Form>
              )}
              {!archived && (
                <>
                  <Edit workflow={workflow} chosen={chosen} />
                  <Link
                    to={chosen === undefined ? 'run' : `run?version=${chosen}`}
                    className={buttonClass({ look: 'primary' })}
                  >
                    <Play aria-hidden="true" /> Start
                  </Link>
                </>
              )}
            </>
          )
        }
      >
        <WorkflowKinds surface={surface} figures={figures} />
        {archived && <Badge tone="warn">Archived</Badge>}
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {failure && (
        <div className="mb-3">
          <Notice tone="bad">{failure.message}</Notice>
        </div>
      )}
      <div className="mb-3 flex items-start gap-3">
        <WorkflowThumbnail surface={surface} thumbnail={figures.thumbnail} className="h-20 w-32" />
        <div className="grid min-w-0 gap-1 text-sm">
          {(title ?? description) && (
            <p className="max-w-3xl text-muted">
              {title}
              {title && description && ': '}
              {description}
            </p>
          )}
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Success figures={figures} />
            <LastRun figures={figures} />
          </p>
          {canOperate && (
            <div className="-ml-3">
              <ThumbnailForm isOwn={figures.thumbnail?.source === 'upload'} disabled={busy} />
            </div>
          )}
        </div>
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Definition {...loaderData} />
        <Card
          title="Runs"
          flush
          actions={
            <Link to={`/runs?workflow=${name}`} className={buttonClass({ look: 'quiet' })}>
              All
            </Link>
          }
        >
          <RunList rows={runs} empty="It has not run yet." canCancel={canOperate} />
        </Card>
      </div>
    </>
  );
}

type EditProps = { workflow: Loaded['workflow']; chosen: number | undefined };

/** Edits the version that was chosen. Without a choice it asks, where a draft is newer than the published version. */
function Edit({ workflow: { version, latestVersion, published }, chosen }: EditProps) {
  const label = (
    <>
      <Pencil aria-hidden="true" /> Edit
    </>
  );
  if (chosen !== undefined || version === latestVersion) {
    return (
      <Link to={`edit?version=${version}`} className={buttonClass()}>
        {label}
      </Link>
    );
  }
  const versions = [
    { number: version, words: `v${version}${published ? ' (published)' : ''}` },
    { number: latestVersion, words: `v${latestVersion} (latest draft)` },
  ];
  return (
    <DropdownMenu words={label}>
      {versions.map(({ number, words }) => (
        <li key={number}>
          <Link to={`edit?version=${number}`} className="block rounded px-3 py-1.5 text-sm hover:bg-raised">
            Edit {words}
          </Link>
        </li>
      ))}
    </DropdownMenu>
  );
}

/** Forms that a workflow can be taken out as. */
const exports = [
  { as: 'yaml', words: 'YAML' },
  { as: 'playwright', words: 'Playwright test' },
  { as: 'recording', words: 'Recording for Chrome DevTools' },
] as const;

const Export = ({ name, version }: { name: string; version: number }) => (
  <DropdownMenu
    words={
      <>
        <Download aria-hidden="true" /> Export
      </>
    }
  >
    {exports.map(({ as, words }) => (
      <li key={as}>
        <a
          href={`/workflows/${name}/export?as=${as}&version=${version}`}
          download
          className="block rounded px-3 py-1.5 text-sm hover:bg-raised"
        >
          {words}
        </a>
      </li>
    ))}
  </DropdownMenu>
);

/** A version as it is written, or what makes it different from another one. */
function Definition({ workflow, yaml, versions, against, diff }: Loaded) {
  const submit = useSubmit();
  const { version } = workflow;
  const current = versions.find((one) => one.version === version);
  const words = ({ version: number, published }: Loaded['versions'][number]) =>
    `v${number}${published ? ', published' : ''}`;
  return (
    <Card
      title="Definition"
      actions={
        <Form
          className="flex flex-wrap items-center gap-2"
          onChange={({ currentTarget }) => void submit(currentTarget)}
        >
          <Select name="version" aria-label="Version" value={version} onChange={() => undefined} className="w-auto!">
            {versions.map((one) => (
              <option key={one.version} value={one.version}>
                {words(one)}
              </option>
            ))}
          </Select>
          <Select
            name="against"
            aria-label="Compare with"
            value={against ?? ''}
            onChange={() => undefined}
            className="w-auto!"
          >
            <option value="">as it is</option>
            {versions
              .filter((one) => one.version !== version)
              .map((one) => (
                <option key={one.version} value={one.version}>
                  against {words(one)}
                </option>
              ))}
          </Select>
        </Form>
      }
    >
      {current && (
        <p className="mb-2 text-xs text-muted">
          v{version} was made <TimeAgo at={current.createdAt} />
        </p>
      )}
      {diff ? (
        <DiffView lines={diff} />
      ) : (
        <pre
          tabIndex={0}
          role="region"
          aria-label="Definition in YAML"
          className="max-h-[70vh] overflow-auto font-mono text-xs leading-5"
        >
          {yaml}
        </pre>
      )}
    </Card>
  );
}
