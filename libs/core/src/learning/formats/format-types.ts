import type { CreateExport, DatasetExample, ExportObjective, Json } from '@pilothouse/contract';
import type { Conversation, PictureFile, Rejection } from './conversation.ts';

/** Lines of one example or one trace, with the number of references to pictures in them. */
export interface FormattedLines {
  readonly kind: 'lines';
  readonly lines: readonly Json[];
  readonly pictures: number;
}

export type FormatResult = FormattedLines | Rejection;

/** A format whose lines are conversations. */
export interface ConversationFormat {
  readonly unit: 'conversation';
  readonly objectives: readonly ExportObjective[];
  /** True if lines embed pictures as base64. */
  readonly embedsPictures: (options: CreateExport) => boolean;
  readonly line: (conversation: Conversation, options: CreateExport) => Json;
  /** Rule of the provider or the trainer that the conversation breaks; null: it is valid. */
  readonly problem: (conversation: Conversation, options: CreateExport) => string | null;
}

/** A step with its picture. */
export interface PicturedExample {
  readonly example: DatasetExample;
  readonly picture: PictureFile | null;
}

/** A format whose lines are steps or whole traces. */
export interface TraceFormat {
  readonly unit: 'step' | 'trace';
  readonly objectives: readonly ExportObjective[];
  readonly embedsPictures: (options: CreateExport) => boolean;
  readonly format: (steps: readonly PicturedExample[], options: CreateExport) => FormatResult;
}
