import { turnRecordingSchema } from '@pilothouse/contract/agent/turn-recording.schema';
import type { UpdateProject } from '@pilothouse/contract/api/project.routes';
import { notesOf } from './agent-note-form.ts';
import { budgetsOf } from './budget-form.ts';
import { FormProblem } from '../shared/form-problem.ts';
import { modelsOf } from './model-form.ts';
import { politenessOf } from './site-limit-form.ts';

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

/** A positive integer; null: the field is empty. @throws FormProblem */
function positiveIntegerOf(field: string, text: string): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new FormProblem(field, 'Enter a whole number of 1 or more, or leave blank.');
  return number;
}

/** @throws FormProblem: an invalid form must not allow all hosts */
function usesAllowList(mode: string): boolean {
  if (mode !== 'listed' && mode !== 'public') throw new FormProblem('reach', 'Choose which hosts runs can access.');
  return mode === 'listed';
}

/** Project update of a form, with all fields of the form. @param text returns the text of a field @throws FormProblem */
export function projectChange(text: (field: string) => string): UpdateProject {
  const hosts = text('allow')
    .split(/[\s,]+/)
    .filter(Boolean);
  return {
    maxConcurrentRuns: positiveIntegerOf('maxConcurrentRuns', text('maxConcurrentRuns')),
    retention: {
      runsDays: positiveIntegerOf('runsDays', text('runsDays')),
      eventsDays: positiveIntegerOf('eventsDays', text('eventsDays')),
      artifactsDays: positiveIntegerOf('artifactsDays', text('artifactsDays')),
    },
    egress: { allow: usesAllowList(text('reach')) ? hosts : null },
    politeness: politenessOf(text),
    budgets: budgetsOf(text),
    models: modelsOf(text),
    agents: agentsOf(text),
    learning: learningOf(text),
  };
}

/** Agent defaults; null: the defaults of the installation. */
function agentsOf(text: (field: string) => string): UpdateProject['agents'] {
  const agents: NonNullable<UpdateProject['agents']> = {};
  const repairPolicy = text('repairPolicy');
  if (repairPolicy === 'propose' || repairPolicy === 'publish') agents.repairPolicy = repairPolicy;
  const actionCache = text('actionCache');
  if (actionCache === 'auto' || actionCache === 'never') agents.actionCache = actionCache;
  const notes = notesOf(text);
  if (notes.length > 0) agents.notes = notes;
  return Object.keys(agents).length === 0 ? null : agents;
}
