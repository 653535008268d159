import type { CreateExport } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation, ImageFile } from './conversation.ts';
import type { ConversationFormat } from './format-types.ts';

/*
 * Lines of Vertex AI supervised tuning and preference tuning. A line has at most 131,072 tokens and 30 images of at most
 * 20 MB, and ends with the turn of the model. Preference pairs contain only text.
 */

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** Estimate of the maximum number of characters of a line without images: four characters per token. */
const MAX_TEXT_CHARS = 4 * 131_072;

type Answer = Conversation['answer'];

const answerParts = ({ text, calls }: Answer): Json[] => [
  ...(text === '' ? [] : [{ text }]),
  ...calls.map(({ name, args }) => ({ functionCall: { name, args } })),
];

const modelTurn = (answer: Answer): Json => ({ role: 'model', parts: answerParts(answer) });

function imagePart({ path, base64 }: ImageFile, { imageBase }: CreateExport): Json {
  return imageBase === undefined
    ? { inlineData: { mimeType: 'image/jpeg', data: base64 ?? '' } }
    : { fileData: { mimeType: 'image/jpeg', fileUri: `${imageBase.replace(/\/$/, '')}/${path}` } };
}

export const geminiFormat: ConversationFormat = {
  unit: 'conversation',
  objectives: ['sft', 'preference', 'grounding'],
  embedsImages: ({ imageBase }) => imageBase === undefined,
  line({ system, text, image, tools, answer, rejected }, options) {
    const parts: Json[] = [...(image ? [imagePart(image, options)] : []), { text }];
    const prompt = {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: [{ role: 'user', parts } as Json],
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools as unknown as Json }] as Json }),
    };
    if (!rejected) return { ...prompt, contents: [...prompt.contents, modelTurn(answer)] };
    return {
      ...prompt,
      completions: [
        { score: 1, completion: modelTurn(answer) },
        { score: 0, completion: modelTurn(rejected) },
      ],
    };
  },
  problem({ system, text, image, tools, answer, rejected }) {
    if (rejected && image) return 'Preference tuning of Gemini takes text only: export without images';
    if (image && image.bytes > MAX_IMAGE_BYTES) return 'Gemini takes images of at most 20 MB';
    if (text.trim() === '') return 'Gemini needs a text of the user';
    if (answer.text === '' && answer.calls.length === 0) return 'Gemini needs an answer';
    const chars = system.length + text.length + JSON.stringify([tools, answer, rejected]).length;
    return chars > MAX_TEXT_CHARS ? 'Gemini takes lines of at most 131,072 tokens' : null;
  },
};
