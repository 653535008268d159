import type { Candidate, GenerateContentResponse, Part } from '@google/genai';
import type { OnPartialText } from '../call.ts';
import { StreamInterrupted } from '../stream.ts';

/** What is read of a response. */
export type GeminiResponse = Pick<GenerateContentResponse, 'candidates' | 'promptFeedback' | 'usageMetadata'>;

/**
 * The response that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @throws StreamInterrupted when it ends without a reason
 */
export async function collectGeminiStream(
  chunks: AsyncIterable<GenerateContentResponse>,
  heard: OnPartialText,
): Promise<GeminiResponse> {
  const parts: Part[] = [];
  const whole: { -readonly [Name in keyof GeminiResponse]: GeminiResponse[Name] } = {};
  let last: Candidate | undefined;
  let count = 0;
  try {
    for await (const { candidates, promptFeedback, usageMetadata } of chunks) {
      heard(textOf(candidates?.[0]?.content?.parts));
      count += 1;
      if (promptFeedback) whole.promptFeedback = promptFeedback;
      if (usageMetadata) whole.usageMetadata = usageMetadata;
      const [candidate] = candidates ?? [];
      if (candidate) last = { ...last, ...candidate };
      parts.push(...(candidate?.content?.parts ?? []));
    }
  } catch (thrown) {
    // The SDK says it by an error of no kind of its own when nothing that came was a stream.
    if (count > 0 || !(thrown instanceof Error) || thrown.constructor.name !== 'Error' || thrown.cause) throw thrown;
  }
  if (count > 0 && !last?.finishReason && !whole.promptFeedback?.blockReason) throw new StreamInterrupted();
  return { ...whole, ...(last && { candidates: [{ ...last, content: { role: 'model', parts } }] }) };
}

/** What parts say, thoughts of the model left out. */
export const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');
