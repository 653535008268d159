import type Anthropic from '@anthropic-ai/sdk';
import { parseArguments } from '../answer.ts';
import type { OnPartialText } from '../call.ts';
import { StreamInterrupted } from '../stream.ts';

/**
 * The message that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @returns undefined: what came is no stream
 * @throws StreamInterrupted when it ends without a reason
 */
export async function collectAnthropicStream(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  heard: OnPartialText,
): Promise<Anthropic.Message | undefined> {
  let message: Anthropic.Message | undefined;
  const inputs = new Map<number, string>();
  for await (const event of events) {
    heard(event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : undefined);
    if (event.type === 'message_start') message = { ...event.message, content: [] };
    if (!message) continue;
    if (event.type === 'content_block_start') message.content[event.index] = { ...event.content_block };
    else if (event.type === 'content_block_delta') add(message.content[event.index], event, inputs);
    else if (event.type === 'message_delta') {
      const {
        input_tokens: input,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        ...usage
      } = event.usage;
      const known = { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: written };
      const said = Object.fromEntries(Object.entries(known).filter(([, count]) => typeof count === 'number'));
      message = {
        ...message,
        stop_reason: event.delta.stop_reason,
        usage: { ...message.usage, ...said, output_tokens: usage.output_tokens },
      };
    }
  }
  if (!message) return undefined;
  if (message.stop_reason === null) throw new StreamInterrupted();
  for (const [index, text] of inputs) {
    const block = message.content[index];
    // What is no object is left as it came: whoever reads it says so.
    if (block?.type === 'tool_use') block.input = parseArguments(text) ?? text;
  }
  return message;
}

function add(
  block: Anthropic.ContentBlock | undefined,
  { index, delta }: Anthropic.RawContentBlockDeltaEvent,
  inputs: Map<number, string>,
): void {
  if (delta.type === 'text_delta' && block?.type === 'text') block.text += delta.text;
  else if (delta.type === 'input_json_delta') inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
}
