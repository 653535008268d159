import type { Json } from '@pilothouse/contract/primitives.schema';
import { auraSchema } from '@pilothouse/core/agent/dialects/aura.dialect';
import { textTools, visionTools } from '@pilothouse/core/agent/tools/tool-schemas';
import { toPortableSchema, withoutTextLengths } from './portable-schema.ts';

type Support = 'enforced' | 'ignored' | 'refused';

/**
 * Treatment of constructs by the schema converters of three servers.
 * - llama.cpp: asked on 2026-11-30 with every schema of this table and its portable form, by `response_format`, through xllamacpp
 *   2026.10.11549. It accepted all of them. Patterns that it cannot express became "any string", with a warning in its log; other unsupported
 *   keywords were skipped silently.
 * - vLLM: from `has_xgrammar_unsupported_json_features` in `vllm/v1/structured_output/backend_xgrammar.py` (commit 030141c1), not from a
 *   running server. A refused schema is HTTP 400.
 * - Ollama: its `format` is converted by the converter of llama.cpp. Not from a running server.
 */
const constructs: readonly {
  readonly construct: string;
  readonly schema: Record<string, Json>;
  readonly llamaCpp: Support;
  readonly vllm: Support;
  readonly ollama: Support;
  readonly portable: Record<string, Json>;
}[] = [
  {
    construct: 'enum, required, nested objects',
    schema: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] },
  },
  {
    construct: 'const',
    schema: { const: 'a' },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { enum: ['a'] },
  },
  {
    construct: 'lengths of texts and lists',
    schema: { type: 'array', items: { type: 'string', maxLength: 9 }, minItems: 1, maxItems: 3 },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { type: 'array', items: { type: 'string', maxLength: 9 }, minItems: 1, maxItems: 3 },
  },
  {
    construct: 'pattern with both anchors',
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { type: 'string', pattern: '^[A-Z]{3}$' },
  },
  {
    construct: 'pattern without anchors',
    schema: { type: 'string', pattern: '[A-Z]{3}' },
    llamaCpp: 'ignored',
    vllm: 'enforced',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern with a look-ahead',
    schema: { type: 'string', pattern: '^(?!x).*$' },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern and length',
    schema: { type: 'string', pattern: '^a*$', maxLength: 5 },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'string', pattern: '^a*$' },
  },
  {
    construct: 'format',
    schema: { type: 'string', format: 'email' },
    llamaCpp: 'ignored',
    vllm: 'enforced',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'format date',
    schema: { type: 'string', format: 'date' },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern with a back-reference',
    schema: { type: 'string', pattern: '^(a)\\1$' },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern with a class of letters',
    schema: { type: 'string', pattern: '^\\p{L}+$' },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'bounds of numbers',
    schema: { type: 'integer', minimum: 0, maximum: 12 },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { type: 'integer', minimum: 0, maximum: 12 },
  },
  {
    construct: 'minProperties, propertyNames',
    schema: { type: 'object', properties: {}, minProperties: 1, propertyNames: { maxLength: 3 } },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'object', properties: {} },
  },
  {
    construct: 'oneOf',
    schema: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  {
    construct: 'nested references',
    schema: {
      type: 'object',
      properties: { item: { $ref: '#/$defs/Item' } },
      $defs: { Item: { type: 'object', properties: { price: { $ref: '#/$defs/Price' } } }, Price: { type: 'number' } },
    },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    ollama: 'enforced',
    portable: {
      type: 'object',
      properties: { item: { type: 'object', properties: { price: { type: 'number' } } } },
    },
  },
  {
    construct: 'uniqueItems',
    schema: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'array', items: { type: 'string' } },
  },
  {
    construct: 'multipleOf',
    schema: { type: 'integer', multipleOf: 5 },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'integer' },
  },
  {
    construct: 'not, if',
    schema: { type: 'string', not: { enum: ['x'] }, if: { minLength: 3 }, then: {} },
    llamaCpp: 'ignored',
    vllm: 'ignored',
    ollama: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'patternProperties beside properties',
    schema: { type: 'object', properties: {}, patternProperties: { '^x': {} } },
    llamaCpp: 'ignored',
    vllm: 'refused',
    ollama: 'ignored',
    portable: { type: 'object', properties: {} },
  },
];

/** Keywords that both converters enforce, or that only describe. */
const PORTABLE_KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf', 'allOf', 'description'],
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'pattern'],
]);

/** Keywords of a schema, at any depth. */
function keywordsOf(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'enum' || keyword === 'required') return [keyword];
    if (keyword === 'properties') return [keyword, ...Object.values(value as object).flatMap(keywordsOf)];
    return [keyword, ...keywordsOf(value)];
  });
}

test.each(constructs)('$construct', ({ schema, portable, llamaCpp, vllm, ollama }) => {
  const converted = toPortableSchema(schema);
  expect(converted).toEqual(portable);
  expect(keywordsOf(converted).filter((keyword) => !PORTABLE_KEYWORDS.has(keyword))).toEqual([]);
  // A schema that both enforce keeps its meaning; only the spelling may change.
  if ([llamaCpp, vllm, ollama].every((support) => support === 'enforced'))
    expect(Object.keys(converted)).not.toHaveLength(0);
});

test('properties may have the names of keywords', () => {
  const schema = { type: 'object', properties: { format: { type: 'string' }, default: { type: 'integer' } } };
  expect(toPortableSchema(schema)).toEqual(schema);
});

test('a schema that refers to itself ends', () => {
  const schema = {
    $ref: '#/$defs/Node',
    $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
  };
  expect(JSON.stringify(toPortableSchema(schema)).length).toBeLessThan(2000);
});

test('a schema with many references to itself ends', () => {
  const next = { $ref: '#/$defs/Node' };
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, next]));
  const startedMs = performance.now();
  toPortableSchema({ ...next, $defs: { Node: { type: 'object', properties } } });
  expect(performance.now() - startedMs).toBeLessThan(2000);
});

test.each(['browser', 'desktop'] as const)('the schemas of actions are portable, %s', (surface) => {
  for (const tools of [textTools(null, surface), visionTools(null, surface)]) {
    const schema = toPortableSchema(auraSchema(tools));
    expect(keywordsOf(schema).filter((keyword) => !PORTABLE_KEYWORDS.has(keyword))).toEqual([]);
  }
});

test('OpenAI gets strict schemas without lengths of texts', () => {
  const schema = { type: 'object', properties: { maxLength: { type: 'string', maxLength: 3 } } };
  expect(withoutTextLengths(schema)).toEqual({ type: 'object', properties: { maxLength: { type: 'string' } } });
});
