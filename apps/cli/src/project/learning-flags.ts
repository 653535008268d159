import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import { turnRecordingSchema, type TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import { Option, type Command } from 'commander';
import { wholeNumber } from '../runs/create-run.command.ts';

/** Flags for the learning settings of a project. */
export interface LearningFlags {
  readonly recordTurns?: TurnRecording;
  readonly samplePercent?: number;
  readonly shareTraces?: 'on' | 'off';
}

export const withLearningOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--record-turns <mode>', 'runs whose agent turns are stored for learning').choices(
        turnRecordingSchema.options,
      ),
    )
    .option('--sample-percent <n>', 'percentage of runs that "--record-turns sample" stores', wholeNumber(1))
    .addOption(
      new Option('--share-traces <mode>', 'allow runs in datasets of other projects: "on" or "off"').choices([
        'on',
        'off',
      ]),
    );

export const hasLearningFlags = ({ recordTurns, samplePercent, shareTraces }: LearningFlags): boolean =>
  [recordTurns, samplePercent, shareTraces].some((flag) => flag !== undefined);

/** The learning settings with the changes of the flags. */
export function withLearning(now: LearningSettings | null, flags: LearningFlags): LearningSettings {
  const { turns = 'off', samplePercent: percentNow } = now?.record ?? {};
  const samplePercent = flags.samplePercent ?? percentNow;
  return {
    record: { turns: flags.recordTurns ?? turns, ...(samplePercent !== undefined && { samplePercent }) },
    shareTraces: flags.shareTraces === undefined ? (now?.shareTraces ?? false) : flags.shareTraces === 'on',
  };
}
