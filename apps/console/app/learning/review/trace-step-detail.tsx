import type { TraceDetail, TraceLabel, TraceSource } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { Badge } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Disclosure } from '../../run/steps/disclosure.tsx';
import { formatDuration } from '../../shared/duration.ts';
import { Json } from '../../shared/json-viewer.tsx';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { traceQualityLabels } from '../traces/trace-quality.ts';
import { correctedActionText } from './correction-draft.ts';
import { countOf } from '../../shared/number-format.ts';

const sourceLabels: Readonly<Record<TraceSource, string>> = { rule: 'Rule', model: 'Model', person: 'Person' };

/** Author of a label: a person or key, or the version of the score. */
const labelAuthor = ({
  source,
  version,
  createdBy,
}: Pick<TraceLabel, 'source' | 'version'> & { createdBy?: TraceLabel['createdBy'] }): string =>
  createdBy?.name ?? `${sourceLabels[source]}${version === null ? '' : `, version ${version}`}`;

/** Labels of a step with author, time and reason, newest first. */
const LabelHistory = ({ labels }: { labels: readonly TraceLabel[] }) => (
  <ol aria-label="Quality history" className="grid gap-2 text-sm">
    {labels.toReversed().map((label) => (
      <li key={label.id} className="grid gap-0.5 border-l-2 border-line pl-2">
        <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone={traceQualityLabels[label.quality].tone}>{traceQualityLabels[label.quality].label}</Badge>
          <span className="wrap-anywhere text-text">{labelAuthor(label)}</span>
          <TimeAgo time={label.createdAt} />
        </span>
        <span className="wrap-anywhere">{label.reason}</span>
        {label.correctedThought !== null && (
          <span className="text-xs wrap-anywhere text-muted">Thought: {label.correctedThought}</span>
        )}
        {label.correctedActions && (
          <span className="text-xs text-muted">{countOf(label.correctedActions.length, 'corrected action')}</span>
        )}
      </li>
    ))}
  </ol>
);

export type ReviewedStep = TraceDetail['steps'][number];

const verificationLabels: Readonly<Record<TurnRecord['verification']['result'], string>> = {
  verified: 'Verified',
  unverified: 'Not verified',
  failed: 'Failed',
  none: 'Not checked',
};

/** Score, thought, actions, outcome and history of a step. */
export function TraceStepDetail({ step, record }: { step: ReviewedStep; record: TurnRecord | null }) {
  const { quality, isDoubtful, reason, source, version, labels, note, thought, correctedThought, correctedActions } =
    step;
  const { label, tone } = traceQualityLabels[quality];
  const personLabel = source === 'person' ? labels.findLast((label) => label.source === 'person') : undefined;
  return (
    <div className="grid gap-3 text-sm">
      <Section title="Quality">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          {isDoubtful && <Badge tone="warn">Doubtful</Badge>}
          <span className="text-xs text-muted">
            by {personLabel ? labelAuthor(personLabel) : labelAuthor({ source, version })}
          </span>
        </p>
        <p className="wrap-anywhere">{reason}</p>
        {note && <p className="text-xs wrap-anywhere text-warn">{note}</p>}
      </Section>
      <Section title="Thought">
        <p className="wrap-anywhere whitespace-pre-wrap">{thought || <span className="text-muted">None</span>}</p>
        {correctedThought !== null && <Correction>{correctedThought}</Correction>}
      </Section>
      <Section title="Actions">
        <Actions step={step} record={record} />
        {correctedActions?.map((action, index) => (
          <Correction key={index}>{correctedActionText(action, record)}</Correction>
        ))}
      </Section>
      {record && (
        <Section title="Outcome">
          <p className="wrap-anywhere">
            {verificationLabels[record.verification.result]}
            {record.verification.note && <span className="text-muted">: {record.verification.note}</span>}
          </p>
        </Section>
      )}
      {record?.input && (
        <Disclosure title="Text that the model received">
          {() => <Json label="Text that the model received" value={record.input} />}
        </Disclosure>
      )}
      <Section title="Quality history">
        <LabelHistory labels={labels} />
      </Section>
    </div>
  );
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-1">
    <h3 className="text-xs font-medium text-muted">{title}</h3>
    {children}
  </section>
);

const Correction = ({ children }: { children: ReactNode }) => (
  <p className="border-l-2 border-good pl-2 wrap-anywhere whitespace-pre-wrap">
    <span className="text-xs text-good">Correction:</span> {children}
  </p>
);

function Actions({ step: { actions }, record }: { step: ReviewedStep; record: TurnRecord | null }) {
  if (actions.length === 0) return <p className="text-muted">None</p>;
  return (
    <ol className="grid gap-1">
      {actions.map(({ title, error }, index) => {
        const sequence = record?.actions[index]?.sequence ?? null;
        const outcome =
          sequence === null ? undefined : record?.outcomes.find((candidate) => candidate.sequence === sequence);
        return (
          <li key={index} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-1">
            <span className="text-muted">{index + 1}</span>
            <span className="wrap-anywhere">
              {title}
              {outcome && (
                <span className="ml-1.5 text-xs text-muted">
                  {formatDuration(outcome.durationMs)}
                  {outcome.hasChanged === false && ', page unchanged'}
                </span>
              )}
              {error && (
                <span className="block text-xs text-bad">
                  <span className="font-mono">{error.code}</span> {error.message}
                </span>
              )}
              {outcome?.urlAfter && outcome.urlAfter !== record?.observation.url && (
                <span className="block truncate text-xs text-muted" title={outcome.urlAfter}>
                  → {outcome.urlAfter}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
