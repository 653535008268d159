import { DEFAULT_MODEL_TOKENS, type ModelPart, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeCall, NativeResult, NativeTurn } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import {
  nativeConversation,
  type ConversationExchange,
  type ImagePart,
} from '@pilothouse/core/agent/dialects/native/native-conversation';
import type OpenAI from 'openai';
import { parseArguments } from '../call-arguments.ts';
import type { ProviderAnswer } from '../call-model.ts';

/*
 * Wire form of OpenAI's tool `computer` of the Responses API. The provider stores nothing: every request has the whole conversation, with
 * the encrypted reasoning as it came.
 */

type Responses = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type InputItem = OpenAI.Responses.ResponseInputItem;
type InputContent = OpenAI.Responses.ResponseInputContent;

export function responsesBody(model: string, request: ModelRequest): Responses {
  const { maxTokens = DEFAULT_MODEL_TOKENS } = request;
  const { system, opening, exchanges, closing, tools } = nativeConversation(request, 'openai_computer', true);
  return {
    model,
    instructions: system,
    input: [
      ...messageOf(opening),
      ...exchanges.flatMap((exchange) => [
        ...(exchange.turn.blocks as unknown as InputItem[]),
        ...outputsOf(exchange),
        ...messageOf(resultTexts(exchange)),
      ]),
      ...messageOf(closing),
    ],
    tools: [
      { type: 'computer' },
      ...tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters,
        strict: false,
      })),
    ],
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: maxTokens,
  };
}

const imageUrl = ({ contentType, data }: ImagePart) => `data:${contentType};base64,${data}`;

function messageOf(parts: readonly ModelPart[]): InputItem[] {
  const content = parts.flatMap((part): InputContent[] => {
    if ('text' in part) return [{ type: 'input_text', text: part.text }];
    return 'image' in part ? [{ type: 'input_image', detail: 'auto', image_url: imageUrl(part.image) }] : [];
  });
  return content.length > 0 ? [{ role: 'user', content }] : [];
}

const outputsOf = ({ results, image }: ConversationExchange): InputItem[] =>
  results.map((result): InputItem =>
    result.hasImage && image
      ? {
          type: 'computer_call_output',
          call_id: result.id,
          output: { type: 'computer_screenshot', image_url: imageUrl(image) },
          ...(result.acknowledged.length > 0 && { acknowledged_safety_checks: [...result.acknowledged] }),
        }
      : { type: 'function_call_output', call_id: result.id, output: result.text || 'ok' },
  );

/** The output of a computer call is only an image, so its text follows as a message. */
function resultTexts({ results }: ConversationExchange): ModelPart[] {
  const lines = results.flatMap(({ hasImage, text }: NativeResult) => (hasImage && text !== '' ? [text] : []));
  return lines.length > 0 ? [{ text: `Results of the computer calls:\n${lines.join('\n')}` }] : [];
}

export function parseResponses(response: OpenAI.Responses.Response): ProviderAnswer {
  const { output, usage, status, incomplete_details: incomplete } = response;
  const contents = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const isBlocked = contents.some(({ type }) => type === 'refusal') || incomplete?.reason === 'content_filter';
  const isTruncated = incomplete?.reason === 'max_output_tokens';
  const calls = output.flatMap((item): (NativeCall | null)[] => {
    if (item.type === 'computer_call') return [computerCall(item)];
    if (item.type !== 'function_call') return [];
    const args = parseArguments(item.arguments);
    return [args ? { id: item.call_id || null, name: item.name, args, toolset: null, checks: [] } : null];
  });
  const usable = calls.filter((call) => call !== null);
  const native: NativeTurn = { tool: 'openai_computer', blocks: output as unknown as Json[], calls: usable };
  return {
    text: contents.map((content) => (content.type === 'output_text' ? content.text : content.refusal)).join(''),
    calls: usable.map(({ name, args }) => ({ name, args })),
    ...(usable.length > 0 && { native }),
    finish: isBlocked ? 'safety' : isTruncated ? 'length' : usable.length > 0 ? 'calls' : 'stop',
    // Without numbers the usage is estimated.
    usage: usage
      ? {
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          cachedTokens: usage.input_tokens_details?.cached_tokens ?? 0,
        }
      : null,
    problem: problemOf(status, usable.length < calls.length && !isTruncated),
  };
}

function problemOf(status: OpenAI.Responses.ResponseStatus | undefined, hasUnreadableCall: boolean) {
  if (status === 'failed' || status === 'cancelled') return `the response is ${status}`;
  return hasUnreadableCall ? 'the arguments of a call are not a JSON object' : undefined;
}

const computerCall = (item: OpenAI.Responses.ResponseComputerToolCall): NativeCall => ({
  id: item.call_id || null,
  name: 'computer',
  args: { actions: (item.actions ?? (item.action ? [item.action] : [])) as unknown as Json },
  toolset: null,
  checks: (item.pending_safety_checks ?? []).map(({ id, code, message }) => ({
    id,
    code: code ?? null,
    message: message ?? null,
  })),
});
