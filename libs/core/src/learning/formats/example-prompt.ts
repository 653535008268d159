import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Dialect, ModelTool } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { toTextDialectRequest } from '../../agent/prompts/text-dialect-request.ts';
import { textTools, visionTools } from '../../agent/tools/tool-schemas.ts';
import { describeElement } from '../../observation/observation-text.ts';
import type { Conversation, ImageFile } from './conversation.ts';

/** Prompt of a conversation. */
export type ExamplePrompt = Pick<Conversation, 'system' | 'text' | 'tools'>;

/** Dialects that name elements only by points in the screenshot. */
export const isPointing = (dialect: Dialect): boolean => ['echo-prism', 'ui-tars', 'ui-tars-1.5'].includes(dialect);

/** Dialects whose instructions follow the rules of the agent. The others replace them. */
const APPENDED: ReadonlySet<Dialect> = new Set(['aura', 'deskpilot']);

/**
 * The recorded prompt, with the instructions of the dialect. Records have the request before its conversion to a dialect, so no recorded
 * prompt has instructions. Steps without a model get a short prompt.
 */
export function promptOf(example: DatasetExample, image: ImageFile | null, dialect: Dialect): ExamplePrompt {
  const { input, surface, tier } = example;
  const { system, text } = input ?? shortPrompt(example);
  if (dialect === 'calls')
    return { system, text, tools: toolsOf({ tier: tier === 'vision' ? tier : 'text', surface }) };
  const instructions = instructionsOf({ dialect, surface, tier, hasImage: image !== null });
  return {
    system: joinTexts(APPENDED.has(dialect) ? system : '', instructions.system),
    text: joinTexts(instructions.text, text),
    tools: [],
  };
}

interface PromptKind {
  readonly dialect: Exclude<Dialect, 'calls'>;
  readonly surface: SurfaceKind;
  readonly tier: DatasetExample['tier'];
  readonly hasImage: boolean;
}

/** Returns results of a function of few different values, each computed once: schemas of functions take milliseconds. */
function memoize<Value, Result>(compute: (value: Value) => Result): (value: Value) => Result {
  const results = new Map<string, Result>();
  return (value) => {
    const key = JSON.stringify(value);
    const cached = results.get(key);
    if (cached !== undefined) return cached;
    const result = compute(value);
    results.set(key, result);
    return result;
  };
}

const toolsOf = memoize(({ tier, surface }: Pick<PromptKind, 'tier' | 'surface'>): readonly ModelTool[] =>
  tier === 'vision' ? visionTools(null, surface) : textTools(null, surface),
);

/** Instructions of a dialect, as a request at run time has them: in the system prompt, or before the text of the user. */
const instructionsOf = memoize(({ dialect, surface, tier, hasImage }: PromptKind) => {
  const image = hasImage ? [{ image: { contentType: 'image/jpeg' as const, data: 'AAAA' } }] : [];
  const { request } = toTextDialectRequest(
    {
      role: 'act',
      prompt: { name: 'export', version: 1 },
      surface,
      system: '',
      messages: [{ role: 'user', parts: [{ text: '' }, ...image] }],
      tools: [...toolsOf({ tier, surface })],
    },
    dialect,
  );
  const texts = request.messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
  return { system: request.system, text: texts.filter((text) => text !== '').join('\n\n') };
});

const joinTexts = (...texts: readonly string[]) => texts.filter((text) => text !== '').join('\n\n');

const MAX_LISTED_ELEMENTS = 200;

/** Prompt of a step that a person or a replay decided: the goal and the page. */
export function shortPrompt({ goal, page, surface }: DatasetExample): { system: string; text: string } {
  const lines = page.elements
    .slice(0, MAX_LISTED_ELEMENTS)
    .map(
      ({ index, role, name, value }) => `[${index}] ${describeElement({ role, name })}${value ? ` = "${value}"` : ''}`,
    );
  return {
    system: `You operate a ${surface} to reach a goal of the user. Elements are listed as [index] role "name". Decide the next action.`,
    text: [`Goal: ${goal}`, `Page: ${page.title} (${page.url})`, 'Elements:', ...lines].join('\n'),
  };
}
