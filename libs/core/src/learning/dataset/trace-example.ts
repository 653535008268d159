import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { DatasetExample, ExampleAction } from '@pilothouse/contract/learning/dataset-example.schema';
import type { CorrectedAction, TraceStep } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { exampleElements } from './example-redaction.ts';
import { checkCorrection, completeClaim } from '../correction-check.ts';

/** An example before redaction, the split and hashes. */
export type UnhashedExample = Omit<DatasetExample, 'split' | 'textHash' | 'image'>;

/** Facts of a step's trace. */
export interface ExampleTrace {
  readonly workflowName: string;
  readonly sites: readonly string[];
}

type StepLabel = Pick<TraceStep, 'ordinal' | 'quality' | 'reason' | 'correctedThought' | 'correctedActions' | 'source'>;

/** Joins the record of a turn and its label. */
export function exampleOf(record: TurnRecord, step: StepLabel, trace: ExampleTrace): UnhashedExample {
  const { observation, thought } = record;
  const { correctedActions, correctedThought } = step;
  return {
    run: record.run,
    ordinal: step.ordinal,
    workflow: trace.workflowName,
    site: siteOf(observation.url) ?? trace.sites[0] ?? '',
    at: record.at,
    surface: record.surface,
    goal: record.goal,
    input: record.input,
    prompt: record.prompt,
    tier: record.tier,
    turnSource: record.source,
    model: record.model,
    dialect: record.dialect ?? (record.input ? 'calls' : null),
    page: {
      url: observation.url,
      title: observation.title,
      viewport: observation.viewport,
      elements: exampleElements(observation.elements),
    },
    thought,
    actions: record.actions.map(({ kind, action, args, target }) => ({ kind, action, ...(args && { args }), target })),
    expects: record.expects ?? null,
    outcome: outcomeText(record),
    quality: step.quality,
    labelSource: step.source,
    reason: step.reason,
    // A correction that the page does not support would teach a model to claim too early.
    correction:
      correctedActions && checkCorrection(correctedActions, record).actions
        ? {
            thought: correctedThought ?? thought,
            actions: correctedActions.map((action) => correctedExampleAction(action, record)),
          }
        : null,
  };
}

/** Host of a URL; null: not a URL of a site. */
function siteOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host === '' ? null : host;
}

function correctedExampleAction(corrected: CorrectedAction, { observation }: TurnRecord): ExampleAction {
  switch (corrected.kind) {
    case 'act': {
      const { action } = corrected;
      const index = 'target' in action && action.target ? toLocatorChain(action.target)[0]?.elementIndex : undefined;
      const element = observation.elements.find((candidate) => candidate.index === index);
      return { kind: 'act', action, target: element?.bounds ?? null };
    }
    case 'done': {
      const { answer, anchor = null, indicators = [] } = completeClaim(corrected, { observation }).completed;
      return { kind: 'done', action: null, args: { claim: { answer, anchor, indicators } }, target: null };
    }
    case 'ask':
      return { kind: 'ask', action: null, args: { question: corrected.question }, target: null };
    case 'fail':
      return { kind: 'fail', action: null, args: { reason: corrected.reason }, target: null };
  }
}

function outcomeText({ outcomes, verification }: TurnRecord): string {
  const failed = outcomes.find(({ error }) => error !== null)?.error;
  if (failed) return `Failed: ${failed.message}`;
  const last = outcomes.at(-1);
  const place = last?.titleAfter ?? last?.urlAfter;
  const parts = [place ? `Page: ${place}` : '', verification.note].filter(Boolean);
  return parts.join('. ') || 'No outcome was observed';
}
