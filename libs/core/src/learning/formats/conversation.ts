import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { ModelTool } from '@pilothouse/contract/model/model.schema';
import type { WriteContext, WrittenAnswer } from '../../agent/tools/written-answer.ts';

/* Examples as conversations: one user message with at most one image, and one answer. Formats write the same data. */

type Answer = Extract<WrittenAnswer, { kind: 'written' }>;

/** An image as lines refer to it. */
export interface ImageFile {
  /** Path in the folder of the export. */
  readonly path: string;
  /** Base64 of the JPEG; null: the format refers to files. */
  readonly base64: string | null;
  readonly bytes: number;
}

/** One line of an export, before its format. */
export interface Conversation {
  readonly system: string;
  readonly text: string;
  readonly image: ImageFile | null;
  /** Functions that the answer calls; empty: a text dialect. */
  readonly tools: readonly ModelTool[];
  readonly answer: Answer;
  /** Answer to be avoided; null: not a preference pair. */
  readonly rejected: Answer | null;
}

/** Conversations of one example, or the reason why it has none. */
export type Conversations = { readonly kind: 'written'; readonly items: readonly Conversation[] } | Rejection;

export interface Rejection {
  readonly kind: 'rejected';
  readonly reason: string;
}

export const reject = (reason: string): Rejection => ({ kind: 'rejected', reason });

/** Data of the page for the functions that write dialects. */
export const writeContext = ({ surface, page, tier }: DatasetExample, image: ImageFile | null): WriteContext => ({
  surface,
  elements: page.elements,
  viewport: page.viewport,
  image: image ? imageSize(page.viewport) : null,
  tier: tier === 'vision' ? 'vision' : 'text',
});

/** Size of the image: at most 1,280 pixels wide. Points need the proportions only. */
const imageSize = ({ width, height }: DatasetExample['page']['viewport']) => {
  const scale = Math.min(1, 1280 / Math.max(1, width));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
};
