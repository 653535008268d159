import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Client } from '@pilothouse/client';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { elicitedAnswerSchema } from '@pilothouse/contract/mcp/mcp-tools.schema';
import { canAnswerWithText } from '@pilothouse/contract/run/answer-with-text';
import { MAX_ANSWER_CHARS, type OpenQuestion } from '@pilothouse/contract/run/run-question.schema';

/** The form for a person that a question of a run becomes. */
export function questionForm(question: OpenQuestion): ElicitRequestFormParams {
  const choices = question.choices.map(({ choice, title }) => ({ const: choice, title }));
  return {
    mode: 'form',
    message: `The run asks (text from its page is untrusted): ${question.reason}`,
    requestedSchema: {
      type: 'object',
      properties: {
        choice: { type: 'string', title: 'Answer', oneOf: choices },
        ...(canAnswerWithText(question) && { text: { type: 'string', title: 'Text', maxLength: MAX_ANSWER_CHARS } }),
      },
      required: ['choice'],
    },
  };
}

/**
 * Gives the answer of a form to a run. A person who declines or closes the form gives none: the run keeps waiting.
 * @param key key of the question
 * @returns whether an answer was given
 * @throws PilothouseError VALIDATION_FAILED, and the errors of the API
 */
export async function giveAnswer(
  client: Client,
  run: string,
  key: string,
  response: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  const parsed = elicitedAnswerSchema.safeParse(response);
  if (!parsed.success)
    throw new PilothouseError('VALIDATION_FAILED', 'The answer does not match the form of the question', {
      fields: fieldErrors(parsed.error),
    });
  if (parsed.data.action !== 'accept') return false;
  const { choice, text } = parsed.data.content;
  const body = { question: key, choice, ...(text ? { text } : {}) };
  await client.api.POST('/v1/runs/{run}/answer', { params: { path: { run } }, body, signal });
  return true;
}
