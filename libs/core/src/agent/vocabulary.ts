import { actionSchema, actionSchemas, type ActionName, type Json, type ModelTool } from '@pilothouse/contract';
import { z } from 'zod';
import type { Claim, Move } from './move.ts';

/*
 * The actions as a model is offered them: derived from `actionSchemas`, but that an element is named by its number in the list
 * (`element`, `to_element`), and a condition by its parts.
 */

type Pointing = 'needed' | 'possible' | 'none';

/** What of each action a model may say; an action that is not here is not offered. */
const offered: Partial<Record<ActionName, { element: Pointing; fields: readonly string[] }>> = {
  navigate: { element: 'none', fields: ['url'] },
  back: { element: 'none', fields: [] },
  click: { element: 'needed', fields: ['count', 'button'] },
  hover: { element: 'needed', fields: [] },
  drag: { element: 'needed', fields: [] },
  scroll: { element: 'possible', fields: ['to', 'by'] },
  type: { element: 'needed', fields: ['text', 'append'] },
  clear: { element: 'needed', fields: [] },
  press: { element: 'possible', fields: ['key', 'times'] },
  check: { element: 'needed', fields: [] },
  uncheck: { element: 'needed', fields: [] },
  select: { element: 'needed', fields: ['option'] },
  upload: { element: 'needed', fields: ['file'] },
  download: { element: 'needed', fields: [] },
  switchTab: { element: 'none', fields: ['index', 'title', 'url'] },
  closeTab: { element: 'none', fields: [] },
  dialog: { element: 'none', fields: ['accept', 'text'] },
  wait: { element: 'none', fields: ['seconds'] },
  waitFor: { element: 'none', fields: ['url', 'title', 'text'] },
};

/** The system prompt says what it is: thirteen functions have it. */
const elementParameter = { type: 'integer' };

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** What a schema says that the check afterwards says, too: a model is sent it with every request. */
const unsaid = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems']);

/** A schema of a field in few words. */
function inShort(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(inShort);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word]) => !unsaid.has(word));
  return Object.fromEntries(
    kept.map(([word, value]) => [
      word,
      word === 'description' && typeof value === 'string' ? clause(value) : inShort(value),
    ]),
  );
}

/** What is longer than this says details that the page answers better. */
const LONG = 90;
const clause = (text: string): string => (text.length > LONG ? (/^[^;(]*/.exec(text)?.[0].trim() ?? text) : text);

/** Schemas of fields, as a model may be given them. */
function fieldsOf(schema: z.ZodType): ObjectSchema & { description: string } {
  const plain = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as ObjectSchema;
  const action = plain.properties?.['action'] as { description?: string } | undefined;
  const properties = Object.fromEntries(
    Object.entries(plain.properties ?? {}).map(([name, one]) => [name, inShort(one)]),
  );
  return { ...plain, properties, description: clause(action?.description ?? '') };
}

function toolOf(name: ActionName): ModelTool[] {
  const said = offered[name];
  if (!said) return [];
  const { properties = {}, required = [], description } = fieldsOf(actionSchemas[name]);
  const own =
    name === 'waitFor'
      ? { url: { type: 'string' }, title: { type: 'string' }, text: { type: 'string' } }
      : Object.fromEntries(said.fields.map((field) => [field, properties[field] as Json]));
  const parameters = {
    ...(said.element !== 'none' && { element: elementParameter }),
    ...(name === 'drag' && { to_element: elementParameter }),
    ...own,
  };
  const needed = [
    ...(said.element === 'needed' ? ['element'] : []),
    ...(name === 'drag' ? ['to_element'] : []),
    ...said.fields.filter((field) => required.includes(field)),
  ];
  return [{ name, description, parameters: { type: 'object', properties: parameters, required: needed } }];
}

const text = (description: string) => ({ type: 'string', description });

/** What is not done to the surface. @param outputs schema of the answer; null: a text */
const endings = (outputs: Json | null): ModelTool[] => [
  {
    name: 'read_page',
    description: 'See the text of the whole page, not only what is in view',
    parameters: { type: 'object', properties: {}, required: [] },
  },
  {
    name: 'done',
    description: 'The goal is met, and the page shows it now. It is checked before it counts',
    parameters: {
      type: 'object',
      properties: {
        answer: outputs ?? text('What the goal asks for; empty when it asks for nothing'),
        title_or_url: text('A part of the title or the address of the page as it is now'),
        indicators: {
          type: 'array',
          items: { type: 'string' },
          description: 'Texts, as they stand on the page, that show that the goal is met',
        },
      },
      required: [...(outputs === null ? [] : ['answer']), 'title_or_url', 'indicators'],
    },
  },
  {
    name: 'fail',
    description: 'The goal cannot be met',
    parameters: { type: 'object', properties: { reason: text('Why, in a sentence') }, required: ['reason'] },
  },
  {
    name: 'ask',
    description: 'Ask a person: something only they know or may decide. They see the same page',
    parameters: { type: 'object', properties: { question: text('The question') }, required: ['question'] },
  },
];

const actionTools: readonly ModelTool[] = (Object.keys(offered) as ActionName[]).flatMap(toolOf);

/** The functions that the text rung offers. @param outputs schema of the answer; null: a text */
export const toolsOf = (outputs: Json | null): ModelTool[] => [...actionTools, ...endings(outputs)];

/** A move, or why it is none. */
export type MoveOrProblem = Move | { readonly kind: 'problem'; readonly problem: string };

const problem = (sentence: string): MoveOrProblem => ({ kind: 'problem', problem: sentence });

/** Most seconds that the agent waits at a time. */
const MAX_WAIT = 30;

/** An action by its fields, if it is one. */
export function actionMove(fields: Readonly<Record<string, unknown>>): MoveOrProblem {
  const parsed = actionSchema.safeParse(fields);
  if (parsed.success && parsed.data.action === 'wait' && parsed.data.seconds > MAX_WAIT)
    return problem(`wait: at most ${MAX_WAIT} seconds; waitFor is better where there is something to wait for`);
  if (parsed.success) return { kind: 'act', action: parsed.data };
  const [issue] = parsed.error.issues;
  return problem(
    `${String(fields['action'])}: ${issue?.path.join('.') ? `${issue.path.join('.')}: ` : ''}${issue?.message ?? 'not valid'}`,
  );
}

type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers of elements come as texts, too. */
const numberOf = (value: unknown) =>
  typeof value === 'string' && /^\[?\d{1,6}\]?$/.test(value) ? Number(value.replace(/[[\]]/g, '')) : value;

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);

const asTexts = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one.trim() !== '');

function claimOf(args: Arguments): Claim {
  const anchor = asText(args['title_or_url'])?.trim();
  return {
    answer: (args['answer'] ?? null) as Json,
    anchor: anchor === undefined || anchor === '' ? null : anchor,
    indicators: asTexts(args['indicators']),
  };
}

/**
 * A call of one of `toolsOf` as a move. Never throws.
 * @returns null for a function that is not one of them
 */
export function moveOfCall(name: string, given: unknown): MoveOrProblem | null {
  const args: Arguments = isObject(given) ? given : {};
  switch (name) {
    case 'read_page':
      return { kind: 'read' };
    case 'done':
      return { kind: 'done', claim: claimOf(args) };
    case 'fail':
      return { kind: 'fail', reason: asText(args['reason']) ?? 'The model gave no reason' };
    case 'ask': {
      const question = asText(args['question']);
      return question?.trim() ? { kind: 'ask', question } : problem('ask: say what is asked (`question`)');
    }
    default:
      return Object.hasOwn(offered, name) ? actionOfCall(name as ActionName, args) : null;
  }
}

function actionOfCall(name: ActionName, args: Arguments): MoveOrProblem {
  const said = offered[name];
  if (!said) return problem(`${name} is not offered`);
  // What is null was left out by models that fill in everything.
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const known = new Set([
    ...said.fields,
    ...(said.element === 'none' ? [] : ['element']),
    ...(name === 'drag' ? ['to_element'] : []),
  ]);
  const unknown = given.find(([field]) => !known.has(field));
  if (unknown) return problem(`${name} takes no ${unknown[0]}; it takes ${[...known].join(', ') || 'nothing'}`);
  const { element, to_element: to, ...fields } = Object.fromEntries(given);
  if (said.element === 'needed' && element === undefined) return problem(`${name}: say which \`element\``);
  if (name === 'waitFor') return actionMove({ action: name, condition: fields });
  return actionMove({
    action: name,
    ...fields,
    ...(element !== undefined && { target: { element: numberOf(element) } }),
    ...(to !== undefined && { to: { element: numberOf(to) } }),
  });
}
