import type { ArtifactView, RunView } from '@pilothouse/contract';
import { shortId } from '../api/find-by-id.ts';
import { failureLines, stepsDone } from '../output/failure-report.ts';
import type { FailedStep } from '../output/progress-lines.ts';
import type { Style } from '../output/text-style.ts';
import { count } from '../output/sanitize-text.ts';
import { between, duration } from '../output/time-text.ts';
import { valueLines } from '../output/value-text.ts';

/** What is told at the end besides the run. */
export interface EndContext {
  readonly artifacts: readonly ArtifactView[];
  /** Paths of the saved ones. */
  readonly saved: readonly string[];
  /** The picture of the failure. */
  readonly screenshot: ArtifactView | null;
  /** The step it failed at. */
  readonly failure: FailedStep | null;
  /** Steps that make the run; null where control flow decides how many there are. */
  readonly stepCount: number | null;
  readonly file: string | null;
}

const runSeconds = ({ startedAt, finishedAt, createdAt }: RunView) =>
  finishedAt === null ? null : duration(between(startedAt ?? createdAt, finishedAt));

/** Lines about a run that has ended: how, after what time, with which result and files; of a failure also why. */
export function endLines(
  run: RunView,
  { artifacts, saved, screenshot, failure, stepCount, file }: EndContext,
  { style, columns }: { style: Style; columns: number },
): string[] {
  const took = runSeconds(run);
  const lines = ['', headline(run, { failure, stepCount }, took, style)];
  if (run.output !== null) lines.push('', ...valueLines(run.output, style, columns));
  if (run.error && run.status !== 'cancelled') {
    const workflow = run.workflow?.id ? run.workflow.name : null;
    lines.push(...failureLines(run.error, { run: shortId(run.id), file, workflow, screenshot }, style));
  }
  lines.push(...fileLines(run, artifacts, saved, style));
  return lines;
}

function headline(
  run: RunView,
  { failure, stepCount }: Pick<EndContext, 'failure' | 'stepCount'>,
  took: string | null,
  style: Style,
): string {
  const after = took === null ? '' : ` after ${took}`;
  switch (run.status) {
    case 'completed': {
      const done = run.currentStep === null ? run.stepCount : run.currentStep + 1;
      return style.green(style.bold(`Completed in ${took ?? '?'}`)) + style.dim(` (${count(done, 'step')})`);
    }
    case 'failed':
      return style.red(
        style.bold(failure ? `Failed at step ${failure.at} (${failure.title})${after}` : `Failed${after}`),
      );
    case 'cancelled': {
      const done = run.currentStep === null ? 0 : run.currentStep;
      return style.yellow(style.bold(`Cancelled${after}`)) + style.dim(` (${stepsDone(done, stepCount)})`);
    }
    default:
      return run.status;
  }
}

function fileLines(run: RunView, artifacts: readonly ArtifactView[], saved: readonly string[], style: Style): string[] {
  if (saved.length > 0) return ['', 'Saved', ...saved.map((path) => `  ${path}`)];
  if (artifacts.length === 0) return [];
  const command = `npx pilothouse artifacts ${shortId(run.id)} --save .`;
  return ['', style.dim(`${count(artifacts.length, 'file')}: ${command}`)];
}
