import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { CreateExport, ExportObjective } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation, ImageFile, Rejection } from './conversation.ts';

/** Lines of one example or one trace, with the number of references to images in them. */
export interface FormattedLines {
  readonly kind: 'lines';
  readonly lines: readonly Json[];
  readonly images: number;
}

export type FormatResult = FormattedLines | Rejection;

/** A format whose lines are conversations. */
export interface ConversationFormat {
  readonly unit: 'conversation';
  readonly objectives: readonly ExportObjective[];
  /** True if lines embed images as base64. */
  readonly embedsImages: (options: CreateExport) => boolean;
  readonly line: (conversation: Conversation, options: CreateExport) => Json;
  /** Rule of the provider or the trainer that the conversation breaks; null: it is valid. */
  readonly problem: (conversation: Conversation, options: CreateExport) => string | null;
}

/** A step with its image. */
export interface ExampleWithImage {
  readonly example: DatasetExample;
  readonly image: ImageFile | null;
}

/** A format whose lines are steps or whole traces. */
export interface TraceFormat {
  readonly unit: 'step' | 'trace';
  readonly objectives: readonly ExportObjective[];
  readonly embedsImages: (options: CreateExport) => boolean;
  readonly format: (steps: readonly ExampleWithImage[], options: CreateExport) => FormatResult;
}
