import type { UpdateProject } from '@pilothouse/contract/api/project.routes';
import { turnRecordingSchema } from '@pilothouse/contract/agent/turn-recording.schema';
import { FormProblem } from '../shared/form-problem.ts';

/** Learning settings of a form; null: the defaults. @throws FormProblem */
export function learningOf(text: (field: string) => string): UpdateProject['learning'] {
  const turns = turnRecordingSchema.safeParse(text('turns'));
  if (!turns.success) throw new FormProblem('turns', 'Choose which turns are recorded.');
  const percent = text('samplePercent').trim();
  const samplePercent = percent === '' ? undefined : Number(percent);
  if (samplePercent !== undefined && !(Number.isInteger(samplePercent) && samplePercent >= 1 && samplePercent <= 100))
    throw new FormProblem('samplePercent', 'Enter a whole number from 1 to 100, or leave blank.');
  const shareTraces = text('shareTraces') === 'on';
  if (turns.data === 'off' && samplePercent === undefined && !shareTraces) return null;
  return { record: { turns: turns.data, ...(samplePercent !== undefined && { samplePercent }) }, shareTraces };
}
