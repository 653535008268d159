import type { Candidate, GenerateContentResponse, Part } from '@google/genai';
import type { Heard } from '../call.ts';
import { BrokenOff } from '../stream.ts';

/** What is read of a response. */
export type Gathered = Pick<GenerateContentResponse, 'candidates' | 'promptFeedback' | 'usageMetadata'>;

/**
 * The response that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @throws BrokenOff when it ends without a reason
 */
export async function gather(chunks: AsyncIterable<GenerateContentResponse>, heard: Heard): Promise<Gathered> {
  const parts: Part[] = [];
  const whole: { -readonly [Name in keyof Gathered]: Gathered[Name] } = {};
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
  if (count > 0 && !last?.finishReason && !whole.promptFeedback?.blockReason) throw new BrokenOff();
  return { ...whole, ...(last && { candidates: [{ ...last, content: { role: 'model', parts } }] }) };
}

/** What parts say, thoughts of the model left out. */
export const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');
