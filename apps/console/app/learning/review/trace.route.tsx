import { unwrapData, type Client } from '@pilothouse/client';
import type { TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { buttonClass, Button, Card, Empty, Kbd, Notice } from '@pilothouse/ui-kit';
import { ArrowRight, ChevronLeft, ChevronRight } from 'lucide-react';
import { useCallback, useState, useEffect } from 'react';
import { Link, useNavigate, useSearchParams, type LoaderFunctionArgs, useFetcher } from 'react-router';
import { withApi, type ApiResult } from '../../api/api-client.server.ts';
import type { VisibleElement } from '../../run/element-picker/page-inspection.ts';
import { Disclosure } from '../../run/steps/disclosure.tsx';
import { shortId } from '../../shared/number-format.ts';
import { placeLabel } from '../../shared/surface-labels.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { queueFilterOf, queueSearchOf, traceFilterOf } from '../traces/trace-filter.ts';
import { TraceQualityBadge } from '../traces/trace-quality-badge.tsx';
import { CorrectionDialog } from './correction-dialog.tsx';
import { LabelBar } from './label-bar.tsx';
import { TraceActions } from './trace-actions.tsx';
import { TraceFacts } from './trace-facts.tsx';
import { TraceStepDetail } from './trace-step-detail.tsx';
import { TraceStepList } from './trace-step-list.tsx';
import { TurnElements } from './turn-elements.tsx';
import { TurnScreenshot } from './turn-screenshot.tsx';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { RecordedTurn } from './recorded-turn.route.ts';

export { action } from './trace.actions.server.ts';

type Loaded = Awaited<ReturnType<typeof loader>>;

export const meta = ({ loaderData }: { loaderData?: Loaded }) => [
  { title: loaderData ? `Trace ${shortId(loaderData.trace.run)} · Pilothouse` : 'Trace · Pilothouse' },
];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const { run = '' } = args.params;
    const trace = await unwrapData(client.api.GET('/v1/traces/{run}', { params: { path: { run } } }));
    const filter = queueFilterOf(new URL(args.request.url).searchParams);
    return { trace, search: queueSearchOf(filter).toString(), next: await nextTrace(client, trace, filter) };
  });

/** The next older trace of the queue, else its newest one; null: there is no other. */
async function nextTrace(
  { api }: Client,
  { run, createdAt }: TraceDetail,
  filter: ReturnType<typeof queueFilterOf>,
): Promise<string | null> {
  const { needsReview, ...rest } = traceFilterOf(filter);
  const query = {
    ...rest,
    ...(needsReview !== undefined && { needsReview: String(needsReview) as 'true' | 'false' }),
    limit: 2,
  };
  const find = async (filter: { to?: string }) =>
    (await unwrapData(api.GET('/v1/traces', { params: { query: { ...query, ...filter } } }))).items.find(
      (trace) => trace.run !== run,
    )?.run;
  return (await find({ to: createdAt })) ?? (await find({})) ?? null;
}

/** Another step of the same trace is already loaded. */
export const shouldRevalidate = ({
  currentUrl,
  nextUrl,
  formAction,
  defaultShouldRevalidate,
}: {
  currentUrl: URL;
  nextUrl: URL;
  formAction?: string;
  defaultShouldRevalidate: boolean;
}) =>
  formAction !== undefined ||
  (currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search ? false : defaultShouldRevalidate);

export default function TracePage({ loaderData: { trace, search, next } }: { loaderData: Loaded }) {
  // Another trace starts with its own step and dialog.
  return <Review key={trace.run} trace={trace} search={search} next={next} />;
}

function Review({ trace, search, next }: Loaded) {
  const { run, steps } = trace;
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const [isCorrecting, setIsCorrecting] = useState(false);
  const [highlighted, setHighlighted] = useState<VisibleElement | null>(null);
  const step = steps.find(({ ordinal }) => String(ordinal) === params.get('step')) ?? firstToReview(steps);
  const { record, problem } = useRecordedTurn(run, step?.record ?? null);
  const select = useCallback(
    (ordinal: number) => {
      setHighlighted(null);
      setParams(
        (params) => {
          params.set('step', String(ordinal));
          return params;
        },
        { replace: true, preventScrollReset: true },
      );
    },
    [setParams],
  );
  const stepAfter = (ordinal: number) => steps.find((candidate) => candidate.ordinal > ordinal)?.ordinal;
  const onLabeled = (ordinal: number) => {
    const following = stepAfter(ordinal);
    if (following !== undefined && ordinal === step?.ordinal) select(following);
  };
  const closeCorrection = useCallback(() => setIsCorrecting(false), []);
  const previous = step && steps.findLast((candidate) => candidate.ordinal < step.ordinal)?.ordinal;
  const following = step && stepAfter(step.ordinal);
  const nextHref = next === null ? null : `/learning/traces/${next}${search === '' ? '' : `?${search}`}`;
  return (
    <>
      <PageHeader
        breadcrumbs={[
          { label: 'Review', href: `/learning/traces${search === '' ? '' : `?${search}`}` },
          { label: shortId(run), isMonospace: true },
        ]}
        title={trace.workflowName}
        actions={
          <>
            {canOperate && <TraceActions trace={trace} />}
            {nextHref !== null && (
              <Link
                to={nextHref}
                data-shortcut="n"
                aria-keyshortcuts="n"
                className={buttonClass()}
                onClick={(event) => {
                  event.preventDefault();
                  void navigate(nextHref);
                }}
              >
                Next trace <Kbd>n</Kbd> <ArrowRight aria-hidden="true" />
              </Link>
            )}
          </>
        }
      >
        <TraceQualityBadge trace={trace} />
      </PageHeader>
      <TraceFacts trace={trace} />
      {step === undefined ? (
        <Card>
          <Empty title="No steps">
            {trace.scoredAt === null
              ? 'The trace is not scored yet. Its steps appear after the scoring job.'
              : 'No turn record of this run can be read.'}
          </Empty>
        </Card>
      ) : (
        <>
          <TraceStepList steps={steps} selected={step.ordinal} onSelect={select} />
          <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)]">
            <Card title={record ? placeLabel(record.observation) : 'Page before the step'}>
              <div className="grid gap-3">
                <TurnScreenshot run={run} step={step} record={record} highlighted={highlighted} />
                {problem && <Notice tone="warn">{problem}</Notice>}
                {record && (
                  <Disclosure title={`Element list (${record.observation.elements.length})`}>
                    {() => <TurnElements record={record} onHighlight={setHighlighted} />}
                  </Disclosure>
                )}
              </div>
            </Card>
            <Card
              className="lg:sticky lg:top-3"
              title={`Step ${step.ordinal} of ${steps.length}`}
              actions={
                <>
                  <Button
                    variant="quiet"
                    disabled={previous === undefined}
                    data-shortcut="k ArrowLeft"
                    aria-keyshortcuts="k ArrowLeft"
                    onClick={() => previous !== undefined && select(previous)}
                  >
                    <ChevronLeft aria-hidden="true" /> Previous <Kbd>k</Kbd>
                  </Button>
                  <Button
                    variant="quiet"
                    disabled={following === undefined}
                    data-shortcut="j ArrowRight"
                    aria-keyshortcuts="j ArrowRight"
                    onClick={() => following !== undefined && select(following)}
                  >
                    Next <Kbd>j</Kbd> <ChevronRight aria-hidden="true" />
                  </Button>
                </>
              }
            >
              <div className="grid gap-3">
                {canOperate && (
                  <LabelBar ordinal={step.ordinal} onCorrect={() => setIsCorrecting(true)} onLabeled={onLabeled} />
                )}
                <TraceStepDetail step={step} record={record} />
              </div>
            </Card>
          </div>
          <CorrectionDialog
            open={isCorrecting}
            run={run}
            step={step}
            record={record}
            onClose={closeCorrection}
            onLabeled={onLabeled}
          />
        </>
      )}
    </>
  );
}

/** The first step that a person should look at, else the first one. */
const firstToReview = (steps: TraceDetail['steps']) =>
  steps.find(({ isDoubtful, quality }) => isDoubtful || quality === 'unknown') ?? steps[0];

/** The record of a turn while its step is shown. Both are null while it is loaded. */
interface TurnRecordState {
  record: TurnRecord | null;
  problem: string | null;
}

/** Loads the record of a turn. @param file artifact of the record; null: no step is shown */
function useRecordedTurn(run: string, file: string | null): TurnRecordState {
  const key = `turn ${file}`;
  const { load, data } = useFetcher<ApiResult<RecordedTurn>>({ key });
  useEffect(() => {
    if (file !== null) void load(`/learning/traces/${run}/records/${file}`);
  }, [load, run, file]);
  return { record: data?.result?.record ?? null, problem: data?.failure?.message ?? null };
}
