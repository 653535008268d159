import type { DatasetSplit } from '@pilothouse/contract/learning/dataset-example.schema';
import type { CreateExport, ExportFormat } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { atifFormat } from './atif.format.ts';
import { reject } from './conversation.ts';
import { conversationsOf } from './example-conversations.ts';
import type { ConversationFormat, FormatResult, ExampleWithImage, TraceFormat } from './format-types.ts';
import { geminiFormat } from './gemini.format.ts';
import { geminiLineProblem, messagesLineProblem } from './hosted-rules.ts';
import { llamaFactoryFormat } from './llamafactory.format.ts';
import { fireworksFormat, togetherFormat } from './openai.format.ts';
import { rawFormat } from './raw.format.ts';
import { swiftFormat } from './swift.format.ts';
import { trlFormat } from './trl.format.ts';

/** All formats by name. */
export const exportFormatTable = {
  gemini: geminiFormat,
  together: togetherFormat,
  fireworks: fireworksFormat,
  llamafactory: llamaFactoryFormat,
  swift: swiftFormat,
  trl: trlFormat,
  atif: atifFormat,
  raw: rawFormat,
} as const satisfies Record<ExportFormat, ConversationFormat | TraceFormat>;

/** Published rules of hosted tuners for whole lines. A tuner refuses a file with one invalid line. */
const hostedLineProblems: Partial<Record<ExportFormat, (line: Json) => string | null>> = {
  gemini: geminiLineProblem,
  together: (line) => messagesLineProblem(line, 'together'),
  fireworks: (line) => messagesLineProblem(line, 'fireworks'),
};

/** Name of a part's file. */
export const exportFileName = (split: DatasetSplit): string => `${split}.jsonl`;

/** Formats one step, or all steps of a trace for a format of traces. */
export function formatSteps(steps: readonly ExampleWithImage[], options: CreateExport): FormatResult {
  const format: ConversationFormat | TraceFormat = exportFormatTable[options.format];
  if (!format.objectives.includes(options.objective))
    return reject(`${options.format} cannot carry ${options.objective} examples`);
  if (format.unit !== 'conversation') return format.format(steps, options);
  const lines: Json[] = [];
  let images = 0;
  for (const { example, image } of steps) {
    const conversations = conversationsOf(example, image, options);
    if (conversations.kind === 'rejected') return conversations;
    for (const conversation of conversations.items) {
      const problem = format.problem(conversation, options);
      if (problem !== null) return reject(problem);
      const line = format.line(conversation, options);
      const lineProblem = hostedLineProblems[options.format]?.(line) ?? null;
      if (lineProblem !== null) return reject(`${options.format} refuses the line: ${lineProblem}`);
      lines.push(line);
      images += conversation.image ? 1 : 0;
    }
  }
  return { kind: 'lines', lines, images };
}
