import {
  MAX_LOSS_POINTS,
  MAX_TUNING_MESSAGES,
  MAX_TUNING_STATES,
  type LossPoint,
  type TuningCheckpoint,
  type TuningMessage,
} from '@pilothouse/contract/learning/tuning-progress.schema';
import type { TuningState } from '../../ports/tuner.port.ts';

/**
 * Adds a state of a tuning job to its stored progress. A tuner may repeat its log lines and points, or answer only with the last ones.
 * @param time ISO time of the read
 * @returns the stored progress itself if nothing is new
 */
export function addTuningState(
  stored: TuningCheckpoint,
  state: Pick<TuningState, 'providerStatus' | 'messages' | 'loss' | 'trainedTokens'>,
  time: string,
): TuningCheckpoint {
  const isNewState = stored.states.at(-1)?.state !== state.providerStatus;
  const trainedTokens = state.trainedTokens ?? stored.trainedTokens;
  const next = {
    ...stored,
    states: isNewState
      ? [...stored.states, { state: state.providerStatus, at: time }].slice(-MAX_TUNING_STATES)
      : stored.states,
    messages: mergedMessages(stored.messages, state.messages),
    loss: boundedPoints(mergedPoints(stored.loss, state.loss)),
    trainedTokens,
  };
  return JSON.stringify(next) === JSON.stringify(stored) ? stored : next;
}

const messageKey = ({ at: time, text }: TuningMessage): string => `${time} ${text}`;

/** The last messages by time, those without a time first. A message that was left out once does not return. */
function mergedMessages(stored: readonly TuningMessage[], read: readonly TuningMessage[]): TuningMessage[] {
  const known = new Set(stored.map(messageKey));
  const added = byTime(read)
    .slice(-MAX_TUNING_MESSAGES)
    .filter((message) => !known.has(messageKey(message)));
  return byTime([...stored, ...added]).slice(-MAX_TUNING_MESSAGES);
}

const byTime = (messages: readonly TuningMessage[]): TuningMessage[] =>
  messages.toSorted((a, b) => Number((a.at ?? '') > (b.at ?? '')) - Number((a.at ?? '') < (b.at ?? '')));

/** Points by step. A later read completes an earlier one. */
function mergedPoints(stored: readonly LossPoint[], read: readonly LossPoint[]): LossPoint[] {
  const points = new Map<number, LossPoint>();
  for (const { step, trainingLoss, validationLoss } of [...stored, ...read]) {
    const earlier = points.get(step);
    points.set(step, {
      step,
      trainingLoss: trainingLoss ?? earlier?.trainingLoss ?? null,
      validationLoss: validationLoss ?? earlier?.validationLoss ?? null,
    });
  }
  return [...points.values()].toSorted((a, b) => a.step - b.step);
}

/** At most `MAX_LOSS_POINTS` points. Keeps the last point and points with a validation loss, and thins out the others evenly. */
function boundedPoints(points: readonly LossPoint[]): LossPoint[] {
  if (points.length <= MAX_LOSS_POINTS) return [...points];
  const nth = Math.ceil(points.length / (MAX_LOSS_POINTS / 2));
  const rest = points.filter(
    ({ validationLoss }, index) => validationLoss !== null || index % nth === 0 || index === points.length - 1,
  );
  return rest.slice(-MAX_LOSS_POINTS);
}
