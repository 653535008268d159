import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { withJsonInstructions, parseStructured } from './structured-output.ts';

const request: ModelRequest = {
  role: 'plan',
  prompt: { name: 'spec', version: 1 },
  system: 'You plan.',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};
const schema = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: ['retry', 'ask'] },
    seconds: { type: ['integer', 'null'] },
    routes: { type: 'array', items: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } },
  },
  required: ['decision'],
  additionalProperties: false,
};

test('a schema is appended to the system prompt', () => {
  const result = withJsonInstructions({ ...request, schema });
  expect(result).not.toHaveProperty('schema');
  expect(result.system).toBe(
    `You plan.\n\nReply with JSON only. It must match this JSON Schema: ${JSON.stringify(schema)}`,
  );
  expect(withJsonInstructions({ ...request, system: '', schema }).system).toMatch(/^Reply with JSON/);
  expect(withJsonInstructions(request)).toEqual(request);
});

test.each<[string, Json]>([
  ['{"decision":"ask"}', { decision: 'ask' }],
  ['Here it is:\n```json\n{"decision": "retry", "seconds": 3}\n```', { decision: 'retry', seconds: 3 }],
  [
    '{"decision":"ask","seconds":null,"routes":[{"to":"a","more":1}]}',
    { decision: 'ask', seconds: null, routes: [{ to: 'a', more: 1 }] },
  ],
])('is parsed: %s', (text, value) => {
  expect(parseStructured(schema, text)).toEqual({ value });
});

test.each([
  ['I would ask.', 'not JSON'],
  ['[]', 'the value must be object'],
  ['{"seconds":3}', '/decision is missing'],
  ['{"decision":"leave"}', '/decision must be one of ["retry","ask"]'],
  ['{"decision":3}', '/decision must be string'],
  ['{"decision":"ask","seconds":1.5}', '/seconds must be integer or null'],
  ['{"decision":"ask","routes":[{"to":"a"},{}]}', '/routes/1/to is missing'],
  ['{"decision":"ask","constructor":3}', '/constructor is not allowed'],
])('is rejected: %s', (text, problem) => {
  expect(parseStructured(schema, text)).toEqual({ problem });
});
