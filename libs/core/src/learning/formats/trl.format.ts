import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat } from './format-types.ts';

/* Lines of TRL: messages with `image` parts, and the paths of the images in the column `images`. */

const textPart = (text: string): Json => ({ type: 'text', text });

const assistant = ({ text }: Conversation['answer']): Json => ({ role: 'assistant', content: [textPart(text)] });

export const trlFormat: ConversationFormat = {
  unit: 'conversation',
  objectives: ['sft', 'preference', 'grounding'],
  embedsImages: () => false,
  line({ system, text, image, answer, rejected }): Json {
    const prompt: Json[] = [
      ...(system === '' ? [] : [{ role: 'system', content: [textPart(system)] }]),
      { role: 'user', content: [...(image ? [{ type: 'image', text: null }] : []), textPart(text)] },
    ];
    const images = image ? [image.path] : [];
    return rejected
      ? { prompt, chosen: [assistant(answer)], rejected: [assistant(rejected)], images }
      : { messages: [...prompt, assistant(answer)], images };
  },
  problem({ tools, text }) {
    if (tools.length > 0) return 'TRL takes no function calls beside images: use a text dialect';
    return text.trim() === '' ? 'TRL takes no empty message' : null;
  },
};
