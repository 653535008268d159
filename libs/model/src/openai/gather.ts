import type OpenAI from 'openai';
import type { OnPartialText } from '../call.ts';
import { StreamInterrupted } from '../stream.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type Call = OpenAI.ChatCompletionMessageFunctionToolCall;

/**
 * The answer that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @throws StreamInterrupted when it ends without a reason
 */
export async function collectOpenAiStream(
  chunks: AsyncIterable<Chunk>,
  heard: OnPartialText,
): Promise<OpenAI.ChatCompletion> {
  const message = { role: 'assistant' as const, content: null as string | null, refusal: null as string | null };
  const calls: Call[] = [];
  let last: Chunk | undefined;
  let finish: string | null = null;
  let usage: Chunk['usage'];
  for await (const chunk of chunks) {
    heard(chunk.choices?.[0]?.delta?.content);
    last = chunk;
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    const { content, refusal, tool_calls: pieces } = choice.delta;
    if (content) message.content = (message.content ?? '') + content;
    if (refusal) message.refusal = (message.refusal ?? '') + refusal;
    for (const { index, function: said } of pieces ?? []) {
      const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += said?.name ?? '';
      call.function.arguments += said?.arguments ?? '';
    }
  }
  // What is no stream at all, and an error in its place, is for who reads it.
  if (!last || 'error' in last) return { ...last } as unknown as OpenAI.ChatCompletion;
  if (finish === null) throw new StreamInterrupted();
  const whole = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...last,
    choices: [{ index: 0, message: whole, finish_reason: finish }],
    usage,
  } as unknown as OpenAI.ChatCompletion;
}
