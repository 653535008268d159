import type { OutlineList, OutlineStep } from '../../workflow-document/workflow-outline.ts';
import { isWithin, keyOf, type Path } from '../../workflow-document/yaml-path.ts';

/** Sizes in pixels. */
export const sizes = { width: 260, step: 56, gap: 28, head: 52, label: 24, pad: 12, add: 32 } as const;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Position of a step. Steps in a block are relative to the block. */
export interface StepBox extends Box {
  step: OutlineStep;
  /** Key of the containing block. */
  parent: string | null;
}

/** Add button at the end of a list, and the label of the list. */
export interface ListBox {
  key: string;
  list: OutlineList;
  parent: string | null;
  add: Box;
  label: { x: number; y: number } | null;
}

/** Drop position between steps, relative to the graph. */
export interface Slot {
  list: Path;
  index: number;
  x: number;
  y: number;
  width: number;
}

export interface GraphLayout {
  steps: StepBox[];
  lists: ListBox[];
  slots: Slot[];
  links: { source: string; target: string }[];
  width: number;
  height: number;
}

/** Lays out steps from top to bottom in the order of the file. Blocks grow with their content. */
export function layoutGraph(root: OutlineList): GraphLayout {
  const layout: GraphLayout = { steps: [], lists: [], slots: [], links: [], width: 0, height: 0 };
  const { width, height } = layoutList(layout, root, null, { x: 0, y: 0 }, { x: 0, y: 0 }, depthOf(root));
  return { ...layout, width, height };
}

/** Nesting depth of blocks. Outer blocks are wider. */
const depthOf = ({ steps }: OutlineList): number =>
  Math.max(0, ...steps.map(({ lists }) => (lists.length > 0 ? 1 + Math.max(...lists.map(depthOf)) : 0)));

/** @param listCorner corner of the list in its block @param origin corner of the block in the graph @param depth nesting depth below */
function layoutList(
  layout: GraphLayout,
  list: OutlineList,
  parent: string | null,
  listCorner: { x: number; y: number },
  origin: { x: number; y: number },
  depth: number,
): { width: number; height: number } {
  const width = sizes.width + 2 * sizes.pad * depth;
  let { y } = listCorner;
  const slot = (index: number, line: number) =>
    layout.slots.push({ list: list.path, index, x: origin.x + listCorner.x, y: origin.y + line, width });
  for (const [index, step] of list.steps.entries()) {
    slot(index, y - sizes.gap / 2);
    const height = heightOf(step);
    layout.steps.push({ step, parent, x: listCorner.x, y, width, height });
    let inner = y + sizes.head;
    for (const innerList of step.lists) {
      const corner = { x: origin.x + listCorner.x, y: origin.y + y };
      const innerSize = layoutList(
        layout,
        innerList,
        step.key,
        { x: sizes.pad, y: inner - y + sizes.label },
        corner,
        depth - 1,
      );
      inner += sizes.label + innerSize.height + sizes.pad;
    }
    const next = list.steps[index + 1];
    if (next) layout.links.push({ source: step.key, target: next.key });
    y += height + sizes.gap;
  }
  slot(list.steps.length, list.steps.length > 0 ? y - sizes.gap / 2 : y);
  layout.lists.push({
    key: keyOf(list.path),
    list,
    parent,
    add: { x: listCorner.x, y: list.steps.length > 0 ? y - sizes.gap / 2 : y, width, height: sizes.add },
    label: parent === null ? null : { x: listCorner.x, y: listCorner.y - sizes.label },
  });
  return { width, height: heightOfList(list) };
}

const heightOfList = ({ steps }: OutlineList): number =>
  steps.reduce((sum, step) => sum + heightOf(step) + sizes.gap, 0) +
  (steps.length > 0 ? -sizes.gap / 2 : 0) +
  sizes.add;

const heightOf = ({ lists }: OutlineStep): number =>
  lists.length === 0
    ? sizes.step
    : sizes.head + lists.reduce((sum, list) => sum + sizes.label + heightOfList(list) + sizes.pad, 0);

/**
 * Drop position for a dragged step: the nearest one, in the innermost list at the point.
 * @param movedStep the dragged step, which cannot contain itself
 */
export function slotAt({ slots, steps }: GraphLayout, point: { x: number; y: number }, movedStep: Path): Slot | null {
  let best: { slot: Slot; distance: number } | null = null;
  for (const slot of slots) {
    if (isWithin(slot.list, movedStep)) continue;
    const horizontalDistance = Math.max(slot.x - point.x, point.x - slot.x - slot.width, 0);
    const inner = slot.list.length;
    // Nested lists are narrower: of two positions at the same height, the nested one wins if the point is inside it.
    const distance = Math.abs(slot.y - point.y) + horizontalDistance * 4 - (horizontalDistance === 0 ? inner : 0);
    if (!best || distance < best.distance) best = { slot, distance };
  }
  return steps.length === 0 ? null : (best?.slot ?? null);
}
