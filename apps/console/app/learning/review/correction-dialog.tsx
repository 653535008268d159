import type { CorrectedAction, Trace } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { Button, Dialog, Field, Input, Notice, TextArea } from '@pilothouse/ui-kit';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import { ElementList, ElementOverlay, type PickRequest } from '../../run/element-picker/element-overlay.tsx';
import type { VisibleElement } from '../../run/element-picker/page-inspection.ts';
import { CorrectionActionFields } from './correction-action-fields.tsx';
import {
  correctedActionOf,
  draftKindOf,
  draftProblemsOf,
  draftsOf,
  emptyDraft,
  type DraftAction,
  type DraftProblem,
} from './correction-draft.ts';
import { recordedElements } from './recorded-elements.ts';
import type { action } from './trace.actions.server.ts';
import type { ReviewedStep } from './trace-step-detail.tsx';
import { TurnScreenshot } from './turn-screenshot.tsx';

/** Maximum number of corrected actions. */
const MAX_ACTIONS = 8;

export interface CorrectionDialogProps {
  open: boolean;
  run: Trace['run'];
  step: ReviewedStep;
  /** null: the record was deleted, so that actions cannot be corrected. */
  record: TurnRecord | null;
  onClose: () => void;
  onLabeled: (ordinal: number) => void;
}

/** Corrects thought and actions of a step. Targets are picked on the recorded screenshot. */
export const CorrectionDialog = ({ open, step, onClose, ...rest }: CorrectionDialogProps) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={`Correct step ${step.ordinal}`}
    className="w-[min(82rem,calc(100vw-2rem))]!"
  >
    {open && <CorrectionForm key={step.ordinal} step={step} onClose={onClose} {...rest} />}
  </Dialog>
);

function CorrectionForm({ run, step, record, onClose, onLabeled }: Omit<CorrectionDialogProps, 'open'>) {
  const fetcher = useFetcher<typeof action>();
  const [thought, setThought] = useState(step.correctedThought ?? step.thought);
  const [reason, setReason] = useState('');
  const [drafts, setDrafts] = useState<readonly DraftAction[]>(() => draftsOf(step));
  const [current, setCurrent] = useState(0);
  const [highlighted, setHighlighted] = useState<VisibleElement | null>(null);
  const [problems, setProblems] = useState<ReadonlyMap<number, DraftProblem>>(new Map());
  const { result, failure } = fetcher.data ?? {};
  useEffect(() => setProblems(draftProblemsOf(failure?.fields ?? [])), [failure]);
  useEffect(() => {
    if (fetcher.state !== 'idle' || !result?.ordinal) return;
    onClose();
    onLabeled(result.ordinal);
  }, [fetcher.state, result, onClose, onLabeled]);

  const change = (index: number, draft: Partial<DraftAction>) =>
    setDrafts(drafts.map((item, position) => (position === index ? { ...item, ...draft } : item)));
  const pick = (request: PickRequest) => {
    const draft = drafts[current];
    if (draft && draftKindOf(draft.kind).target !== 'none') change(current, { target: request });
  };
  const submit = () => {
    const actions: CorrectedAction[] = [];
    const found = new Map<number, DraftProblem>();
    for (const [index, draft] of (record ? drafts : []).entries()) {
      const checked = correctedActionOf(draft);
      if (checked.problem) found.set(index, checked.problem);
      else actions.push(checked.action);
    }
    setProblems(found);
    if (found.size > 0) return;
    const correctedThought = thought.trim() === step.thought.trim() && record ? '' : thought;
    const correctedActions = actions.length > 0 ? JSON.stringify(actions) : '';
    const { ordinal } = step;
    void fetcher.submit(
      { intent: 'label', quality: 'bad', ordinal, reason, correctedThought, correctedActions },
      { method: 'post' },
    );
  };
  const elements = record ? recordedElements(record) : [];
  const [firstProblem] = problems.values();
  const target = drafts[current]?.target;
  const targetElement =
    target && 'elementIndex' in target ? elements.find(({ element }) => element === target.elementIndex) : undefined;
  return (
    <form
      className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {/* First in the document: the reason gets the initial focus. */}
      <div className="grid min-w-0 gap-3 lg:order-last">
        <Field label="Reason" hint="Why the step is bad.">
          {(attributes) => (
            <Input
              {...attributes}
              required
              maxLength={2000}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <Field label="Thought" hint="What the agent should have thought.">
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={4}
              maxLength={8000}
              value={thought}
              onChange={({ target }) => setThought(target.value)}
            />
          )}
        </Field>
        {record &&
          drafts.map((draft, index) => (
            <CorrectionActionFields
              key={index}
              number={index + 1}
              draft={draft}
              record={record}
              problem={problems.get(index)}
              isPicking={index === current}
              onPick={() => setCurrent(index)}
              onChange={(changes) => {
                setCurrent(index);
                change(index, changes);
              }}
              onRemove={
                drafts.length > 1
                  ? () => {
                      setDrafts(drafts.filter((_, position) => position !== index));
                      setProblems(new Map());
                      setCurrent(0);
                    }
                  : undefined
              }
            />
          ))}
        {record && drafts.length < MAX_ACTIONS && (
          <div>
            <Button
              variant="quiet"
              onClick={() => {
                setDrafts([...drafts, emptyDraft]);
                setCurrent(drafts.length);
              }}
            >
              <Plus aria-hidden="true" /> Add action
            </Button>
          </div>
        )}
        {(firstProblem ?? failure) && <Notice tone="bad">{firstProblem?.message ?? failure?.message}</Notice>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={fetcher.state !== 'idle'}>
            Save correction
          </Button>
        </div>
      </div>
      <div className="grid min-w-0 gap-3">
        {record ? (
          <>
            <TurnScreenshot run={run} step={{ ...step, actions: [] }} record={record}>
              <ElementOverlay
                elements={elements}
                highlighted={highlighted ?? targetElement ?? null}
                onHighlight={setHighlighted}
                onPick={pick}
              />
            </TurnScreenshot>
            <ElementList elements={elements} highlighted={highlighted} onHighlight={setHighlighted} onPick={pick} />
          </>
        ) : (
          <Notice tone="warn">The record of this turn is missing. Only the thought can be corrected.</Notice>
        )}
      </div>
    </form>
  );
}
