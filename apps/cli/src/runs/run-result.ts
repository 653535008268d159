import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { shortId } from '../api/find-by-id.ts';
import { failureLines, completedStepsText } from '../output/failure-report.ts';
import type { FailedStep } from '../output/progress-lines.ts';
import type { Style } from '../output/text-style.ts';
import { count } from '../output/sanitize-text.ts';
import { secondsBetween, duration } from '../output/time-text.ts';
import { valueLines } from '../output/value-text.ts';

/** Facts about the end of a run besides the run. */
export interface EndContext {
  readonly artifacts: readonly ArtifactView[];
  /** Paths of the downloaded artifacts. */
  readonly savedPaths: readonly string[];
  /** The screenshot of the failure. */
  readonly screenshot: ArtifactView | null;
  /** The step it failed at. */
  readonly failure: FailedStep | null;
  /** Number of steps; null when control flow determines it. */
  readonly stepCount: number | null;
  readonly file: string | null;
}

const runSeconds = ({ startedAt, finishedAt, createdAt }: RunView) =>
  finishedAt === null ? null : duration(secondsBetween(startedAt ?? createdAt, finishedAt));

/** Lines about a finished run: status, duration, output, error, artifacts. */
export function endLines(
  run: RunView,
  { artifacts, savedPaths, screenshot, failure, stepCount, file }: EndContext,
  { style, columns }: { style: Style; columns: number },
): string[] {
  const durationText = runSeconds(run);
  const lines = ['', headline(run, { failure, stepCount }, durationText, style)];
  if (run.output !== null) lines.push('', ...valueLines(run.output, style, columns));
  if (run.error && run.status !== 'cancelled') {
    const workflow = run.workflow?.id ? run.workflow.name : null;
    lines.push(...failureLines(run.error, { run: shortId(run.id), file, workflow, screenshot }, style));
  }
  lines.push(...fileLines(run, artifacts, savedPaths, style));
  return lines;
}

function headline(
  run: RunView,
  { failure, stepCount }: Pick<EndContext, 'failure' | 'stepCount'>,
  durationText: string | null,
  style: Style,
): string {
  const durationSuffix = durationText === null ? '' : ` after ${durationText}`;
  switch (run.status) {
    case 'completed': {
      const completedSteps = run.currentStep === null ? run.stepCount : run.currentStep + 1;
      return (
        style.green(style.bold(`Completed in ${durationText ?? '?'}`)) +
        style.dim(` (${count(completedSteps, 'step')})`)
      );
    }
    case 'failed':
      return style.red(
        style.bold(
          failure ? `Failed at step ${failure.number} (${failure.title})${durationSuffix}` : `Failed${durationSuffix}`,
        ),
      );
    case 'cancelled': {
      const completedSteps = run.currentStep === null ? 0 : run.currentStep;
      return (
        style.yellow(style.bold(`Cancelled${durationSuffix}`)) +
        style.dim(` (${completedStepsText(completedSteps, stepCount)})`)
      );
    }
    default:
      return run.status;
  }
}

function fileLines(
  run: RunView,
  artifacts: readonly ArtifactView[],
  savedPaths: readonly string[],
  style: Style,
): string[] {
  if (savedPaths.length > 0) return ['', 'Downloaded', ...savedPaths.map((path) => `  ${path}`)];
  if (artifacts.length === 0) return [];
  const command = `npx pilothouse runs artifacts ${shortId(run.id)} --download .`;
  return ['', style.dim(`${count(artifacts.length, 'artifact')}: ${command}`)];
}
