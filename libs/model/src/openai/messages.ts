import type OpenAI from 'openai';
import type { ModelMessage } from '@pilothouse/contract';
import { callIds } from '../call-ids.ts';

type Param = OpenAI.ChatCompletionMessageParam;
type ContentPart = OpenAI.ChatCompletionContentPart;

/** Messages as chat completions take them: what came of a call is a message of its own, right after the call. */
export function toOpenAiMessages(messages: readonly ModelMessage[]): Param[] {
  const ids = callIds();
  return messages.flatMap(({ role, parts }): Param[] => {
    if (role === 'model') {
      const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      const calls = parts.flatMap((part) =>
        'call' in part
          ? [
              {
                id: ids.called(),
                type: 'function' as const,
                function: { name: part.call.name, arguments: JSON.stringify(part.call.args) },
              },
            ]
          : [],
      );
      return [{ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    const results = parts.flatMap((part): Param[] =>
      'result' in part
        ? [{ role: 'tool', tool_call_id: ids.answered(), content: JSON.stringify(part.result.value) }]
        : [],
    );
    const content = parts.flatMap((part): ContentPart[] => {
      if ('text' in part) return [{ type: 'text', text: part.text }];
      if (!('image' in part)) return [];
      const { contentType, data } = part.image;
      return [{ type: 'image_url', image_url: { url: `data:${contentType};base64,${data}` } }];
    });
    return [...results, ...(content.length > 0 ? [{ role: 'user' as const, content }] : [])];
  });
}
