import { trainerMetricSchema } from '@pilothouse/contract/learning/trainer.schema';
import type { LossPoint, TuningMessage } from '@pilothouse/contract/learning/tuning-progress.schema';

/** Messages of a log, and their maximum length in characters. */
const MAX_MESSAGES = 100;
const MAX_MESSAGE_LENGTH = 500;

/** Content of the log of a trainer. */
export interface TrainerLog {
  readonly loss: readonly LossPoint[];
  /** From 0 to 1; null: unknown. */
  readonly progress: number | null;
  /** Other lines, oldest first. */
  readonly messages: readonly TuningMessage[];
}

/** Reads lines of a log, each after its time and a space: metric lines such as `{"step":10,"steps":100,"loss":1.5}`, and the last other lines. */
export function readTrainerLog(text: string): TrainerLog {
  const loss: LossPoint[] = [];
  const messages: TuningMessage[] = [];
  let progress: number | null = null;
  for (const timedLine of text.split('\n')) {
    const end = timedLine.indexOf(' ');
    const line = timedLine.slice(end + 1);
    const metric = metricOf(line);
    if (!metric) {
      if (line.trim() !== '')
        messages.push({
          at: timeOf(timedLine.slice(0, Math.max(0, end))),
          text: withoutSignature(line).slice(0, MAX_MESSAGE_LENGTH),
        });
      continue;
    }
    const { step, steps, loss: trainingLoss = null, validation_loss: validationLoss = null } = metric;
    if (steps !== undefined) progress = Math.min(1, step / steps);
    if (trainingLoss !== null || validationLoss !== null) loss.push({ step, trainingLoss, validationLoss });
  }
  return { loss, progress, messages: messages.slice(-MAX_MESSAGES) };
}

function timeOf(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function metricOf(line: string) {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    return trainerMetricSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** A trainer may print the signed URLs that it received. */
const withoutSignature = (line: string): string => line.replaceAll(/X-Amz-Signature=[0-9a-f]+/gi, 'X-Amz-Signature=…');
