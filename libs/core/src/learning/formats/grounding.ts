import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Dialect, ModelTool } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { writeAnswer } from '../../agent/dialects/write-answer.ts';
import { describeElement } from '../../observation/observation-text.ts';
import { writeContext, reject, type Conversation, type Conversations, type ImageFile } from './conversation.ts';
import { centerOf, plannedActions } from './example-actions.ts';
import { visionTools } from '../../agent/tools/tool-schemas.ts';

const toolsBySurface = new Map<SurfaceKind, readonly ModelTool[]>();

/** Functions of a vision request. Their schemas take milliseconds, so they are created once. */
function groundingTools(surface: SurfaceKind): readonly ModelTool[] {
  const tools = toolsBySurface.get(surface) ?? visionTools(null, surface);
  toolsBySurface.set(surface, tools);
  return tools;
}

/** Questions for the points of elements in the screenshot. The elements are the targets of the right answer of a step. */
export function groundingOf(example: DatasetExample, image: ImageFile | null, dialect: Dialect): Conversations {
  if (!image) return reject('Grounding needs a screenshot, and the step has none');
  const { correction, quality, page, surface } = example;
  if (quality !== 'good' && !correction) return reject('The target of the step is not known to be right');
  const planned = plannedActions((correction ?? example).actions, example);
  const indexes = new Set(
    planned.flatMap((plannedAction) => {
      if (
        plannedAction.kind !== 'act' ||
        !('target' in plannedAction.action) ||
        plannedAction.action.target === undefined
      )
        return [];
      return toLocatorChain(plannedAction.action.target)[0]?.elementIndex ?? [];
    }),
  );
  const elements = page.elements.filter(
    ({ index, name, bounds }) => indexes.has(index) && name.trim() !== '' && bounds.width > 0 && bounds.height > 0,
  );
  // The same description twice has no answer.
  const descriptionOf = (element: (typeof elements)[number]) => describeElement(element);
  const isUnique = (description: string) =>
    page.elements.filter((element) => describeElement(element) === description).length === 1;
  const items = elements.flatMap((element): Conversation[] => {
    const description = descriptionOf(element);
    if (!isUnique(description)) return [];
    const target = { point: centerOf(element.bounds, page.viewport) };
    const answer = writeAnswer(
      dialect,
      { thought: `The ${description}.`, actions: [{ kind: 'act', action: { action: 'click', target } }] },
      { ...writeContext(example, image), tier: 'vision' },
    );
    if (answer.kind === 'unwritable') return [];
    return [
      {
        system: 'You find elements in screenshots. Answer with a click on the center of the element.',
        text: `Click the ${description}.`,
        image,
        tools: dialect === 'calls' ? groundingTools(surface) : [],
        answer,
        rejected: null,
      },
    ];
  });
  return items.length > 0
    ? { kind: 'written', items }
    : reject('No action of the step has a target with a unique name');
}
