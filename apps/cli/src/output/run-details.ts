import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import { isUnverified } from '@pilothouse/contract/run/outcome';
import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import type { RunStatus, StepStatus } from '@pilothouse/contract/run/run-status';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { openQuestion } from './question-text.ts';
import { failureLines } from './failure-report.ts';
import type { Paint, Style } from './text-style.ts';
import { pairs, table } from './text-table.ts';
import { clean, count, hideTemplates, short } from './sanitize-text.ts';
import { size } from './byte-size.ts';
import { secondsBetween, duration, localTime } from './time-text.ts';
import { inShort, valueLines } from './value-text.ts';

/** Text of an origin, without the actor. */
function sourceText(origin: RunOrigin): string {
  switch (origin.kind) {
    case 'api':
      return 'API';
    case 'console':
      return 'console';
    case 'schedule':
      return `schedule ${origin.schedule}`;
    case 'webhook':
      return `webhook ${origin.webhook}`;
    case 'batch':
      return `batch ${origin.batch}`;
    case 'parent':
      return `run ${origin.run}`;
    case 'replay':
    case 'retry':
      return `${origin.kind} of ${origin.run}`;
  }
}

/** Origin of a run with its actor: `retry of 0197f3c2-…, ada@example.com`. */
const originText = (origin: RunOrigin): string =>
  [sourceText(origin), ...(origin.actor ? [clean(origin.actor.name)] : [])].join(', ');

/** Style of a status. */
export function statusPaint(status: RunStatus, style: Style): Paint {
  switch (status) {
    case 'completed':
      return style.green;
    case 'failed':
      return style.red;
    case 'cancelled':
    case 'awaiting_user':
      return style.yellow;
    case 'running':
      return style.cyan;
    case 'queued':
      return style.dim;
  }
}

const stepSymbols: Readonly<Record<StepStatus, string>> = {
  pending: ' ',
  running: '…',
  retrying: '↻',
  completed: '✓',
  failed: '✗',
  skipped: '–',
};

/** Lines about a run: facts, steps, output or error, artifacts. */
export function runLines(
  { run, steps, artifacts }: { run: RunView; steps: readonly RunStepView[]; artifacts: readonly ArtifactView[] },
  { style, columns }: { style: Style; columns: number },
): string[] {
  const lines = [...pairs(facts(run, style), style), '', ...stepLines(steps, style, columns)];
  if (run.tiers) lines.push('', ...tierLines(run.tiers, style, columns));
  if (run.question) lines.push('', ...openQuestion(run, style));
  if (run.output !== null) lines.push('', style.bold('Output'), ...valueLines(run.output, style, columns));
  if (run.error) {
    const failed = steps.find(({ status }) => status === 'failed')?.index;
    const screenshot = artifacts.filter(({ kind, step }) => kind === 'screenshot' && step === failed).at(-1);
    const workflow = run.workflow?.id ? run.workflow.name : null;
    const context = { run: run.id.slice(0, 13), file: null, workflow, screenshot: screenshot ?? null };
    lines.push('', ...failureLines(run.error, context, style));
  }
  if (artifacts.length > 0) lines.push('', ...artifactLines(artifacts, style, columns, steps));
  return lines;
}

function facts(run: RunView, style: Style): [string, string][] {
  const { workflow, labels, inputs, startedAt, finishedAt } = run;
  const version = workflow?.version == null ? '' : `, version ${workflow.version}`;
  const rows: [string, string | null][] = [
    ['run', run.id],
    ['status', statusPaint(run.status, style)(run.status)],
    ['goal', run.goal === null ? null : clean(run.goal)],
    ['workflow', run.goal !== null ? null : workflow ? `${clean(workflow.name)}${version}` : 'inline steps'],
    ['inputs', joinOrNull(Object.entries(inputs).map(([name, value]) => `${name}=${inShort(value)}`))],
    ['labels', joinOrNull(Object.entries(labels).map(([name, value]) => `${clean(name)}=${clean(value)}`))],
    ['fleet', `${run.fleet}${run.worker ? `, worker ${clean(run.worker)}` : ''}`],
    ['attempts', run.attempts > 1 ? String(run.attempts) : null],
    ['models', usageText(run.usage)],
    ['steps', stepsText(run.steps)],
    ['not verified', run.unverifiedSteps > 0 ? count(run.unverifiedSteps, 'step') : null],
    ['step retries', run.steps.retries > 0 ? String(run.steps.retries) : null],
    ['created', localTime(run.createdAt)],
    ['started by', originText(run.origin)],
    ['parent', run.origin.kind === 'parent' ? null : run.parentRunId],
    ['duration', startedAt && finishedAt ? duration(secondsBetween(startedAt, finishedAt)) : null],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

const joinOrNull = (texts: readonly string[]) => (texts.length === 0 ? null : texts.join(', '));

function stepLines(steps: readonly RunStepView[], style: Style, columns: number): string[] {
  const rows = steps.map(({ path, label, title, status, startedAt, finishedAt, value, error, ...result }) => [
    status === 'completed'
      ? (isUnverifiedStep(result) ? style.yellow : style.green)(stepSymbols[status])
      : status === 'failed'
        ? style.red(stepSymbols[status])
        : stepSymbols[status],
    label ?? path,
    short(clean(hideTemplates(title)), 60),
    startedAt && finishedAt ? duration(secondsBetween(startedAt, finishedAt)) : '',
    [unverifiedText(result, style), error ? outcomeText(error.code, result) : value === null ? '' : inShort(value)]
      .filter((text) => text !== '')
      .join(' '),
  ]);
  const heads = [
    { head: '' },
    { head: '#', align: 'right' as const },
    { head: 'step', canShrink: true },
    { head: 'duration', align: 'right' as const },
    { head: 'output', canShrink: true },
  ];
  return table(heads, rows, style, columns);
}

type StepResult = Pick<RunStepView, 'outcome' | 'effect' | 'effectReason'>;

const isUnverifiedStep = ({ outcome, effect }: StepResult): boolean =>
  outcome !== null && effect !== null && isUnverified({ outcome, effect });

/** Says that the effect of a completed step was not seen. */
const unverifiedText = (result: StepResult, style: Style): string =>
  isUnverifiedStep(result)
    ? style.yellow(result.effectReason === null ? 'not verified' : `not verified: ${clean(result.effectReason)}`)
    : '';

/** Code of an error, and its outcome unless nothing was changed. */
const outcomeText = (code: string, { outcome }: StepResult): string =>
  !outcome || outcome === 'refused' ? code : `${code}, ${outcome}`;

/** Usage of each tier: steps, durations, model calls. */
function tierLines(tiers: NonNullable<RunView['tiers']>, style: Style, columns: number): string[] {
  const right = { align: 'right' as const };
  const heads = [
    { head: 'tier' },
    { head: 'steps', ...right },
    { head: 'duration', ...right },
    { head: 'calls', ...right },
    { head: 'tokens', ...right },
    { head: 'model time', ...right },
  ];
  const rows = tiers.map(({ tier, steps, seconds, calls, tokens, modelSeconds }) => [
    tier,
    String(steps),
    steps === 0 ? '' : duration(seconds),
    calls === 0 ? '' : String(calls),
    calls === 0 ? '' : tokens.toLocaleString('en-US'),
    calls === 0 ? '' : duration(modelSeconds),
  ]);
  return table(heads, rows, style, columns);
}

/** Lines that list artifacts. @param steps of the run: an artifact shows the number of its step */
export function artifactLines(
  artifacts: readonly ArtifactView[],
  style: Style,
  columns: number,
  steps: readonly Pick<RunStepView, 'index' | 'path' | 'label'>[],
): string[] {
  const numberOf = (index: number) => {
    const step = steps.find((candidate) => candidate.index === index);
    return step?.label ?? step?.path ?? '';
  };
  const heads = [
    { head: 'artifact', canShrink: true },
    { head: 'kind' },
    { head: 'step', align: 'right' as const },
    { head: 'size', align: 'right' as const },
    { head: 'type' },
  ];
  const rows = artifacts.map(({ name, kind, step, size: bytes, contentType }) => [
    clean(name),
    kind,
    step === null ? '' : numberOf(step),
    size(bytes),
    clean(contentType),
  ]);
  return table(heads, rows, style, columns);
}

/** Model usage; null without model calls. */
const usageText = ({ calls, tokens, usd }: RunView['usage']) =>
  calls === 0 ? null : `${count(calls, 'call')}, ${count(tokens, 'token')}, $${usd.toFixed(4)}`;

/** Share of steps without model calls; null without model calls. */
const stepsText = ({ total: stepCount, modelFree }: RunView['steps']) =>
  stepCount === modelFree ? null : `${stepCount}, ${Math.floor((modelFree / stepCount) * 100)}% without model calls`;
