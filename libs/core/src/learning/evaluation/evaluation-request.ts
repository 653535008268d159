import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { ModelAnswer, ModelPart, ModelRequest, ModelTool } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { parseAnswer } from '../../agent/dialects/read-answer.ts';
import { ACT_VISION_PROMPT } from '../../agent/prompts/act-vision.prompt.ts';
import { ACT_TEXT_PROMPT, currentViewHeading } from '../../agent/prompts/prompt-sections.ts';
import { promptForSurface, surfaceField } from '../../agent/prompts/prompt-surface.ts';
import { REPLACEABLE_TOOLS, textTools, visionTools } from '../../agent/tools/tool-schemas.ts';
import { inputPlaceholdersIn } from '../../workflow/secret-placeholders.ts';
import { plannedActions } from '../formats/example-actions.ts';
import { shortPrompt } from '../formats/example-prompt.ts';
import { compareActions, type ActionComparison, type ActionToCompare } from './action-comparison.ts';

/** Maximum tokens of an answer, as the agent sets them. */
const MAX_TEXT_TOKENS = 2000;
const MAX_VISION_TOKENS = 1000;

/** The right actions of a step, or the reason why they are not known. */
export type ExampleLabel =
  | { readonly kind: 'labeled'; readonly actions: readonly ActionToCompare[] }
  | { readonly kind: 'unlabeled'; readonly reason: string };

/** The correction of a step, or its own actions if they are good. */
export function labelOf(example: DatasetExample): ExampleLabel {
  const { correction, quality } = example;
  if (!correction && quality === 'unknown')
    return { kind: 'unlabeled', reason: 'The quality of the step is not known' };
  if (!correction && quality === 'bad') return { kind: 'unlabeled', reason: 'The step is bad and has no correction' };
  const actions = (correction ?? example).actions.flatMap((action): ActionToCompare[] =>
    plannedActions([action], example).map((planned) => ({ ...planned, bounds: action.target })),
  );
  return actions.length > 0 ? { kind: 'labeled', actions } : { kind: 'unlabeled', reason: 'The label has no action' };
}

/** True if the request of a step has its screenshot. */
export const needsImage = ({ tier, image }: DatasetExample): boolean => tier === 'vision' && image !== null;

/**
 * The request of a step as the agent built it, with its last screenshot. A step without a recorded prompt gets a short one.
 * @param image base64 of the JPEG; null: the step needs none
 */
export function evaluationRequest(example: DatasetExample, image: string | null): ModelRequest {
  const { surface, input, tier } = example;
  const isVision = tier === 'vision';
  const { system, text } = input ?? shortPrompt(example);
  const prompt = example.prompt ?? promptForSurface(surface, isVision ? ACT_VISION_PROMPT : ACT_TEXT_PROMPT);
  return {
    role: isVision ? 'vision' : 'act',
    prompt,
    ...surfaceField(surface),
    system,
    messages: [{ role: 'user', parts: image === null ? [{ text }] : imageParts(text, image, surface) }],
    tools: [...toolsOf(surface, isVision)],
    ...(isVision && { computer: { surface, replaces: [...REPLACEABLE_TOOLS] } }),
    maxTokens: isVision ? MAX_VISION_TOKENS : MAX_TEXT_TOKENS,
    temperature: 0,
  };
}

/** The image follows its heading. Headings of earlier screenshots, which are not recorded, are left out. */
function imageParts(text: string, data: string, surface: SurfaceKind): ModelPart[] {
  const image: ModelPart = { image: { contentType: 'image/jpeg', data } };
  const lines = text.split('\n').filter((line) => !/^Before turn \d+:$/.test(line));
  const heading = lines.indexOf(currentViewHeading(surface));
  if (heading < 0) return [{ text: lines.join('\n') }, image];
  const [introduction, view] = [
    lines.slice(0, heading + 1).join('\n'),
    lines
      .slice(heading + 1)
      .join('\n')
      .trim(),
  ];
  return [{ text: introduction }, image, ...(view === '' ? [] : [{ text: view }])];
}

const toolsByKind = new Map<string, readonly ModelTool[]>();

/** Functions of a request. Their schemas take milliseconds, so they are created once. */
function toolsOf(surface: SurfaceKind, isVision: boolean): readonly ModelTool[] {
  const key = `${surface} ${isVision}`;
  const tools = toolsByKind.get(key) ?? (isVision ? visionTools : textTools)(null, surface);
  toolsByKind.set(key, tools);
  return tools;
}

/** Comparison of an answer with the label of a step. `problem`: the answer has no usable action. */
export type AnswerComparison =
  | { readonly kind: 'compared'; readonly comparison: ActionComparison }
  | { readonly kind: 'problem'; readonly reason: string };

/** Parses an answer as the agent does, and compares it with the label. */
export function compareAnswer(
  answer: Pick<ModelAnswer, 'text' | 'calls' | 'dialect'>,
  label: readonly ActionToCompare[],
  example: DatasetExample,
): AnswerComparison {
  const { surface, page, image } = example;
  const { actions, problems } = parseAnswer(answer, {
    surface,
    focused: page.elements.find(({ state }) => state.focused === true)?.index ?? null,
    image: needsImage(example) && image ? { width: image.width, height: image.height } : null,
    secrets: inputPlaceholdersIn(JSON.stringify(label)),
  });
  if (actions.length === 0) return { kind: 'problem', reason: problems[0] ?? 'The answer called no function.' };
  return { kind: 'compared', comparison: compareActions(label, actions, page) };
}
