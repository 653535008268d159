import type { CreateDataset } from '@pilothouse/contract/learning/dataset.schema';
import { FormProblem, numberOf } from '../../shared/form-problem.ts';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';

type Quality = CreateDataset['query']['qualities'][number];
type LabelSource = NonNullable<CreateDataset['query']['sources']>[number];

/** Labels of step qualities. */
export const qualityChoices: Readonly<Record<Quality, string>> = { good: 'Good', bad: 'Bad', unknown: 'Unknown' };

/** Labels of label sources. */
export const sourceChoices: Readonly<Record<LabelSource, string>> = {
  rule: 'Rules',
  model: 'Model',
  person: 'People',
};

/** Fields with one value per line. */
export const listFields = ['workflows', 'sites', 'models', 'projects'] as const;
export type ListField = (typeof listFields)[number];

const shareFields = ['train', 'validation', 'test'] as const;

export interface FormFields {
  /** Text of a field; empty if it is missing. */
  text(field: string): string;
  /** Texts of all fields with this name. */
  texts(field: string): readonly string[];
}

/** Body of the request for a new dataset. The API validates it. @throws FormProblem */
export function newDatasetOf({ text, texts }: FormFields) {
  const seed = numberOf('seed', text('seed'), { isInteger: true });
  const [license, consent] = [text('license').trim(), text('consent').trim()];
  const qualities = choicesOf('qualities', texts('qualities'), qualityChoices);
  if (qualities.length === 0) throw new FormProblem('qualities', 'Select at least one quality.');
  const sources = choicesOf('sources', texts('sources'), sourceChoices);
  const surfaces = choicesOf('surfaces', texts('surfaces'), surfaceTraits);
  const [start, end] = [dayOf('from', text('from'), 0), dayOf('to', text('to'), 1)];
  if (start !== undefined && end !== undefined && start >= end)
    throw new FormProblem('to', 'Choose a last day that is not before the first day.');
  return {
    name: text('name').trim(),
    query: {
      ...Object.fromEntries(
        listFields.map((field) => [field, linesOf(text(field))]).filter(([, lines]) => lines !== undefined),
      ),
      qualities,
      ...(surfaces.length > 0 && { surfaces }),
      ...(sources.length > 0 && { sources }),
      ...(start !== undefined && { from: start }),
      ...(end !== undefined && { to: end }),
    },
    shares: sharesOf(text),
    ...(seed !== null && { seed }),
    ...(license !== '' && { license }),
    ...(consent !== '' && { consent }),
  };
}

/** Values of checkboxes. @throws FormProblem for a value that the form does not offer */
function choicesOf<Choice extends string>(
  field: string,
  values: readonly string[],
  labels: Readonly<Record<Choice, unknown>>,
): Choice[] {
  const isChoice = (value: string): value is Choice => Object.hasOwn(labels, value);
  const choices = values.filter(isChoice);
  if (choices.length < values.length) throw new FormProblem(field, 'Select values of the list.');
  return choices;
}

/** Values of a field with one per line; undefined: none. */
function linesOf(text: string): string[] | undefined {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length === 0 ? undefined : [...new Set(lines)];
}

/** Start of a day in UTC, plus some days; undefined: the field is empty. @throws FormProblem */
function dayOf(field: string, text: string, plusDays: number): string | undefined {
  const day = text.trim();
  if (day === '') return undefined;
  const date = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00.000Z`) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime())) throw new FormProblem(field, 'Enter a day as YYYY-MM-DD, or leave blank.');
  date.setUTCDate(date.getUTCDate() + plusDays);
  return date.toISOString();
}

/** Shares from percentages. @throws FormProblem */
function sharesOf(text: (field: string) => string): CreateDataset['shares'] {
  const [train = 0, validation = 0, test = 0] = shareFields.map((field) => {
    const percent = numberOf(field, text(field), { isInteger: false }) ?? 0;
    if (percent < 0 || percent > 100) throw new FormProblem(field, 'Enter a percentage from 0 to 100.');
    return percent;
  });
  const sum = train + validation + test;
  if (Math.abs(sum - 100) > 1e-6)
    throw new FormProblem('train', `The shares add up to ${Number(sum.toFixed(2))}%. Change them to add up to 100%.`);
  return { train: train / 100, validation: validation / 100, test: test / 100 };
}

/** Form field of an API error pointer such as `/query/sites/0`. */
export function datasetFieldOf(pointer: string): string | undefined {
  const [, first, second] = pointer.split('/');
  if (first === 'query') return second;
  return first === 'shares' ? (second ?? 'train') : first;
}
