import type OpenAI from 'openai';
import { parseResponses } from './openai-computer.ts';

type Response = OpenAI.Responses.Response;

const aResponse = (fields: Partial<Response>): Response =>
  ({
    status: 'completed',
    output: [
      {
        ...{ type: 'computer_call', id: 'cu_1', call_id: 'c1', status: 'completed', pending_safety_checks: [] },
        actions: [{ type: 'screenshot' }],
      },
    ],
    ...fields,
  }) as Response;

test('a response without numbers has no usage, so that it is estimated', () => {
  expect(parseResponses(aResponse({})).usage).toBeNull();
});

test('a response with numbers has its usage', () => {
  const usage = {
    ...{ input_tokens: 900, output_tokens: 40, total_tokens: 940 },
    ...{ input_tokens_details: { cached_tokens: 300 }, output_tokens_details: { reasoning_tokens: 0 } },
  } as NonNullable<Response['usage']>;
  expect(parseResponses(aResponse({ usage })).usage).toEqual({ inputTokens: 900, outputTokens: 40, cachedTokens: 300 });
});
