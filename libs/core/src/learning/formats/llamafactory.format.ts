import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat } from './format-types.ts';
import { IMAGE_PLACEHOLDER, withoutPlaceholders } from './image-placeholders.ts';

/* Lines of LLaMA-Factory in the format sharegpt, and the `dataset_info.json` that describes their columns. */

function answerTurn({ text, calls }: Conversation['answer']): { from: string; value: string } {
  if (calls.length === 0) return { from: 'gpt', value: withoutPlaceholders(text) };
  const functions = calls.map(({ name, args }) => ({ name, arguments: args }));
  return { from: 'function_call', value: JSON.stringify(functions.length === 1 ? functions[0] : functions) };
}

export const llamaFactoryFormat: ConversationFormat = {
  unit: 'conversation',
  objectives: ['sft', 'preference', 'grounding'],
  embedsImages: () => false,
  line({ system, text, image, tools, answer, rejected }) {
    const user = { from: 'human', value: `${image ? IMAGE_PLACEHOLDER : ''}${withoutPlaceholders(text)}` };
    const shared = {
      system: withoutPlaceholders(system),
      tools: tools.length > 0 ? JSON.stringify(tools) : '',
      images: image ? [image.path] : [],
    };
    return rejected
      ? { conversations: [user], chosen: answerTurn(answer), rejected: answerTurn(rejected), ...shared }
      : { conversations: [user, answerTurn(answer)], ...shared };
  },
  problem({ text, answer, rejected }) {
    if (text.trim() === '') return 'LLaMA-Factory takes no empty message';
    return [answer, rejected].some((turn) => turn && turn.calls.length === 0 && turn.text === '')
      ? 'LLaMA-Factory takes no empty answer'
      : null;
  },
};

/** Content of `dataset_info.json`, for files by name. */
export function llamaFactoryInfo(files: readonly string[], isPreference: boolean): Json {
  const columns = {
    messages: 'conversations',
    system: 'system',
    tools: 'tools',
    images: 'images',
    ...(isPreference && { chosen: 'chosen', rejected: 'rejected' }),
  };
  return Object.fromEntries(
    files.map((file) => [
      file.replace(/\.jsonl$/, ''),
      { file_name: file, formatting: 'sharegpt', ...(isPreference && { ranking: true }), columns },
    ]),
  );
}
