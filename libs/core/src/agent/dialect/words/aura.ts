import type { Json, ModelTool } from '@pilothouse/contract';

/* How a model is told to write calls as JSON (`../aura.ts` reads it): also any model that calls no functions and has no words of its own. */

/** What stands behind the rules of a prompt that speaks of functions. */
export const auraInstructions = (tools: readonly ModelTool[]): string =>
  `You cannot call functions here. Wherever a function is to be called, write its call as JSON instead, and nothing but this JSON:

{"thought": "why, in one short sentence", "actions": [{"action": "NAME", "ARGUMENT": VALUE}]}

Several calls stand in "actions" one after the other. These can be called:
${tools.map(toolWords).join('\n')}`;

/** A function in a line; of one that stands for several each has its own name as "action". */
function toolWords({ name, description, parameters }: ModelTool): string {
  const { properties = {}, required = [] } = parameters as { properties?: Record<string, Json>; required?: string[] };
  const { action, ...others } = properties;
  const needed = required.filter((field) => field !== 'action');
  const told = [
    Object.keys(others).length > 0 ? `Arguments: ${JSON.stringify(others)}` : '',
    needed.length > 0 ? `Needed: ${needed.join(', ')}` : '',
  ].filter(Boolean);
  return `- ${action === undefined ? `${name}: ` : ''}${[description, ...told].join('. ')}`;
}
