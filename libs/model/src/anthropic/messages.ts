import type Anthropic from '@anthropic-ai/sdk';
import type { ModelMessage, ModelPart } from '@pilothouse/contract';
import { callIds } from '../call-ids.ts';

/** Messages as Anthropic takes them: what came of calls stands first. */
export function toAnthropicMessages(messages: readonly ModelMessage[]): Anthropic.MessageParam[] {
  const ids = callIds();
  const blockOf = (part: ModelPart): Anthropic.ContentBlockParam => {
    if ('text' in part) return { type: 'text', text: part.text };
    if ('image' in part) {
      const { contentType, data } = part.image;
      return { type: 'image', source: { type: 'base64', media_type: contentType, data } };
    }
    if ('call' in part) return { type: 'tool_use', id: ids.called(), name: part.call.name, input: part.call.args };
    return { type: 'tool_result', tool_use_id: ids.answered(), content: JSON.stringify(part.result.value) };
  };
  return messages.map(({ role, parts }) => {
    const results = parts.filter((part) => 'result' in part);
    const others = parts.filter((part) => !('result' in part));
    return { role: role === 'user' ? 'user' : 'assistant', content: [...results, ...others].map(blockOf) };
  });
}
