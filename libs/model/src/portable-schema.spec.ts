import type { Json } from '@pilothouse/contract/primitives.schema';
import { auraSchema } from '@pilothouse/core/agent/dialects/aura.dialect';
import { textTools, visionTools } from '@pilothouse/core/agent/tools/tool-schemas';
import { toPortableSchema, withoutTextLengths } from './portable-schema.ts';

type Support = 'enforced' | 'ignored' | 'refused';

/**
 * Treatment of constructs by the schema converters of three servers. From documentation and source, not from running servers:
 * - llama.cpp: "known limitations" in `grammars/README.md` (commit 363a490b). Unsupported keywords are skipped silently.
 * - vLLM: `has_xgrammar_unsupported_json_features` in `vllm/v1/structured_output/backend_xgrammar.py` (commit 030141c1). A refused schema is
 *   HTTP 400.
 * - Ollama: its `format` is converted by the converter of llama.cpp, so its column is the same.
 */
const constructs: readonly {
  readonly construct: string;
  readonly schema: Record<string, Json>;
  readonly llamaCpp: Support;
  readonly vllm: Support;
  readonly portable: Record<string, Json>;
}[] = [
  {
    construct: 'enum, required, nested objects',
    schema: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    portable: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] },
  },
  {
    construct: 'const',
    schema: { const: 'a' },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    portable: { enum: ['a'] },
  },
  {
    construct: 'lengths of texts and lists',
    schema: { type: 'array', items: { type: 'string', maxLength: 9 }, minItems: 1, maxItems: 3 },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    portable: { type: 'array', items: { type: 'string', maxLength: 9 }, minItems: 1, maxItems: 3 },
  },
  {
    construct: 'pattern with both anchors',
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    portable: { type: 'string', pattern: '^[A-Z]{3}$' },
  },
  {
    construct: 'pattern without anchors',
    schema: { type: 'string', pattern: '[A-Z]{3}' },
    llamaCpp: 'ignored',
    vllm: 'enforced',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern with a look-ahead',
    schema: { type: 'string', pattern: '^(?!x).*$' },
    llamaCpp: 'ignored',
    vllm: 'refused',
    portable: { type: 'string' },
  },
  {
    construct: 'pattern and length',
    schema: { type: 'string', pattern: '^a*$', maxLength: 5 },
    llamaCpp: 'ignored',
    vllm: 'refused',
    portable: { type: 'string', pattern: '^a*$' },
  },
  {
    construct: 'format',
    schema: { type: 'string', format: 'email' },
    llamaCpp: 'ignored',
    vllm: 'enforced',
    portable: { type: 'string' },
  },
  {
    construct: 'oneOf',
    schema: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    llamaCpp: 'enforced',
    vllm: 'enforced',
    portable: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  {
    construct: 'nested references',
    schema: {
      type: 'object',
      properties: { item: { $ref: '#/$defs/Item' } },
      $defs: { Item: { type: 'object', properties: { price: { $ref: '#/$defs/Price' } } }, Price: { type: 'number' } },
    },
    llamaCpp: 'refused',
    vllm: 'enforced',
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
    portable: { type: 'array', items: { type: 'string' } },
  },
  {
    construct: 'multipleOf',
    schema: { type: 'integer', multipleOf: 5 },
    llamaCpp: 'ignored',
    vllm: 'refused',
    portable: { type: 'integer' },
  },
  {
    construct: 'not, if',
    schema: { type: 'string', not: { enum: ['x'] }, if: { minLength: 3 }, then: {} },
    llamaCpp: 'ignored',
    vllm: 'ignored',
    portable: { type: 'string' },
  },
  {
    construct: 'patternProperties beside properties',
    schema: { type: 'object', properties: {}, patternProperties: { '^x': {} } },
    llamaCpp: 'ignored',
    vllm: 'refused',
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

test.each(constructs)('$construct', ({ schema, portable, llamaCpp, vllm }) => {
  const converted = toPortableSchema(schema);
  expect(converted).toEqual(portable);
  expect(keywordsOf(converted).filter((keyword) => !PORTABLE_KEYWORDS.has(keyword))).toEqual([]);
  // A schema that both enforce keeps its meaning; only the spelling may change.
  if (llamaCpp === 'enforced' && vllm === 'enforced') expect(Object.keys(converted)).not.toHaveLength(0);
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
