import type { LossPoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import { isObject, numberOf, type TunerJson } from './tuner-http.ts';

/** Names of the losses in events and files of tuners, first match first. */
const TRAINING_NAMES = ['train_loss', 'training_loss', 'train/loss', 'loss'];
const VALIDATION_NAMES = ['full_valid_loss', 'valid_loss', 'validation_loss', 'eval_loss', 'eval/loss'];

/** Point of the loss curve of a record; null: it has no step or no loss. */
export function lossPointOf(record: TunerJson): LossPoint | null {
  const step = numberOf(record.step);
  const [trainingLoss, validationLoss] = [TRAINING_NAMES, VALIDATION_NAMES].map(
    (names) => names.flatMap((name) => numberOf(record[name]) ?? [])[0] ?? null,
  );
  if (step === null || (trainingLoss ?? validationLoss ?? null) === null) return null;
  return { step, trainingLoss: trainingLoss ?? null, validationLoss: validationLoss ?? null };
}

/** Points of a file of JSON lines. Other lines are left out. */
export const lossOfJsonLines = (text: string): LossPoint[] =>
  text.split('\n').flatMap((line) => {
    const record = recordOf(line);
    return (record && lossPointOf(record)) ?? [];
  });

function recordOf(line: string): TunerJson | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Points of a CSV file with a line of names. The file may be in base64. */
export function lossOfCsv(text: string): LossPoint[] {
  const plain = text.includes(',') ? text : Buffer.from(text, 'base64').toString('utf8');
  const [head = '', ...lines] = plain.split('\n');
  const names = head.split(',').map((name) => name.trim());
  return lines.flatMap((line) => {
    const cells = line.split(',').map((cell) => (cell.trim() === '' ? null : Number(cell)));
    const record = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
    return lossPointOf(record) ?? [];
  });
}
