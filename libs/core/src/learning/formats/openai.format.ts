import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat } from './format-types.ts';

/* Lines of OpenAI-style fine-tuning of vision models, with the published rules of each provider. */

interface ProviderRules {
  readonly name: string;
  readonly maxImages: number;
  readonly maxImageBytes: number;
}

/** At most 10 images of 10 MB: JPEG, PNG or WebP in base64, only in messages of the user. */
const TOGETHER: ProviderRules = { name: 'Together', maxImages: 10, maxImageBytes: 10 * 1024 * 1024 };

/** JPEG or PNG in base64. Fireworks publishes no limits for tuning: these are the limits of its chat API. */
const FIREWORKS: ProviderRules = { name: 'Fireworks', maxImages: 30, maxImageBytes: 10 * 1024 * 1024 };

const textPart = (text: string): Json => ({ type: 'text', text });

/** Messages before the answer. Contents are lists everywhere, so that all lines have the same columns. */
function promptMessages({ system, text, image }: Conversation): Json[] {
  const imageParts = image
    ? [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${image.base64 ?? ''}` } } as Json]
    : [];
  return [
    ...(system === '' ? [] : [{ role: 'system', content: [textPart(system)] } as Json]),
    { role: 'user', content: [...imageParts, textPart(text)] },
  ];
}

const assistant = ({ text }: Conversation['answer']): Json => ({ role: 'assistant', content: [textPart(text)] });

const formatOf = ({ name, maxImageBytes }: ProviderRules): ConversationFormat => ({
  unit: 'conversation',
  objectives: ['sft', 'preference', 'grounding'],
  embedsImages: () => true,
  line(conversation): Json {
    const messages = promptMessages(conversation);
    const { answer, rejected } = conversation;
    if (!rejected) return { messages: [...messages, assistant(answer)] };
    return { input: { messages }, preferred_output: [assistant(answer)], non_preferred_output: [assistant(rejected)] };
  },
  problem({ image, tools, answer, text }) {
    if (tools.length > 0) return `${name} takes no function calls beside images: use a text dialect`;
    if (image && image.bytes > maxImageBytes) return `${name} takes images of at most 10 MB`;
    if (image && image.base64 === null) return `${name} takes embedded images only`;
    if (text.trim() === '' || answer.text.trim() === '') return `${name} takes no empty message`;
    return null;
  },
});

export const togetherFormat = formatOf(TOGETHER);
export const fireworksFormat = formatOf(FIREWORKS);

/** Rules by provider, for the check of whole lines. */
export const messageProfiles = { together: TOGETHER, fireworks: FIREWORKS } as const;
