import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat } from './format-types.ts';
import { IMAGE_PLACEHOLDER, withoutPlaceholders } from './image-placeholders.ts';

/* Lines of ms-swift: `messages`, `images` and `tools`. */

const messagesOf = ({ text, calls }: Conversation['answer']): Json[] => [
  ...(text === '' && calls.length > 0 ? [] : [{ role: 'assistant', content: withoutPlaceholders(text) }]),
  ...calls.map(({ name, args }) => ({ role: 'tool_call', content: JSON.stringify({ name, arguments: args }) })),
];

export const swiftFormat: ConversationFormat = {
  unit: 'conversation',
  objectives: ['sft', 'preference', 'grounding'],
  embedsImages: () => false,
  line({ system, text, image, tools, answer, rejected }) {
    const prompt: Json[] = [
      ...(system === '' ? [] : [{ role: 'system', content: withoutPlaceholders(system) }]),
      { role: 'user', content: `${image ? IMAGE_PLACEHOLDER : ''}${withoutPlaceholders(text)}` },
    ];
    return {
      messages: [...prompt, ...messagesOf(answer)],
      ...(rejected && { rejected_messages: [...prompt, ...messagesOf(rejected)] }),
      images: image ? [image.path] : [],
      ...(tools.length > 0 && { tools: JSON.stringify(tools.map(toFunction)) }),
    };
  },
  problem: ({ text }) => (text.trim() === '' ? 'ms-swift takes no empty message' : null),
};

const toFunction = (tool: Conversation['tools'][number]) => ({ type: 'function', function: tool });
