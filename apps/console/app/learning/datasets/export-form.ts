import type { CreateExport, ExportFormat, ExportObjective } from '@pilothouse/contract/learning/dataset-export.schema';
import { FormProblem } from '../../shared/form-problem.ts';
import type { FormFields } from './dataset-form.ts';
import { dialectLabels, exportFormatLabels, objectiveLabels, splitLabels } from './export-labels.ts';

/** Body of the request for a new export. The API validates it. @throws FormProblem */
export function newExportOf({ text, texts }: FormFields): CreateExport {
  const format = choiceOf<ExportFormat>('format', text('format'), exportFormatLabels);
  const objective = choiceOf<ExportObjective>('objective', text('objective'), objectiveLabels);
  const { label, isSftOnly } = exportFormatLabels[format];
  if (isSftOnly && objective !== 'sft')
    throw new FormProblem(
      'objective',
      `${label} has no ${objectiveLabels[objective].label.toLowerCase()}. Choose ${objectiveLabels.sft.label}.`,
    );
  const splits = texts('splits').map((split) => choiceOf<CreateExport['splits'][number]>('splits', split, splitLabels));
  if (splits.length === 0) throw new FormProblem('splits', 'Select at least one split.');
  const imageBase = text('imageBase').trim();
  return {
    format,
    objective,
    dialect: choiceOf<CreateExport['dialect']>('dialect', text('dialect'), dialectLabels),
    splits,
    includeImages: text('includeImages') === 'on',
    // A hidden field of another format keeps its text.
    ...(format === 'gemini' && imageBase !== '' && { imageBase }),
  };
}

function choiceOf<Choice extends string>(
  field: string,
  value: string,
  labels: Readonly<Record<Choice, unknown>>,
): Choice {
  const isChoice = (text: string): text is Choice => Object.hasOwn(labels, text);
  if (!isChoice(value)) throw new FormProblem(field, 'Choose a value of the list.');
  return value;
}
