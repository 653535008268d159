import { z } from 'zod';
import { turnRecordingModes } from './turn-recording-modes.ts';

/** Selects the runs whose turns are recorded. */
export const turnRecordingSchema = z
  .enum(turnRecordingModes, { error: 'Use `off`, `failures`, `sample` or `all`, or remove the field' })
  .meta({ id: 'TurnRecording' })
  .describe(
    '`off`: no run; `failures`: goals that fail, end unverified or are taken over by a person, and healed steps; `sample`: a share of the runs; `all`: every run',
  );
export type TurnRecording = z.infer<typeof turnRecordingSchema>;

/** Recording of turns by the worker of a run: the sample is decided. */
export const assignedTurnRecordingSchema = turnRecordingSchema.exclude(['sample']);
export type AssignedTurnRecording = z.infer<typeof assignedTurnRecordingSchema>;
