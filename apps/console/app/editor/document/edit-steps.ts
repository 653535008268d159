import { readYaml } from '@pilothouse/core/yaml';
import { isMap, isPair, isScalar, isSeq, parseDocument, visit, YAMLSeq, type Document, type Node } from 'yaml';
import { preserveFormatting } from './preserve-formatting.ts';
import { isWithin, parentStepOf, positionOf, type Path } from './yaml-path.ts';

/*
 * What the graph does to a workflow file. Each operation takes a text and gives one: the document is changed in its tree, so that
 * comments, the order of keys and the way texts are quoted stay; so does the layout of what was not changed. A file that cannot be read
 * is left alone.
 */

/** A text after a change, and where the step is now that it was about. */
export interface EditResult {
  text: string;
  path: Path;
}

/** Fields that hold steps, in the order of the file. */
export const listFields = ['steps', 'else', 'catch', 'finally'] as const;

/** How the house prints YAML: what is read and printed with it comes out the same. */
export const yamlFormat = { lineWidth: 120 } as const;

/** Puts a step at an index of a list; the list is made when it is not there. */
export const insertStep = (
  text: string,
  list: Path,
  index: number,
  step: Readonly<Record<string, unknown>>,
): EditResult =>
  edit(text, (document) => {
    const node = document.createNode(step);
    listAt(document, list).items.splice(index, 0, node);
    return node;
  });

/** Takes a step away. @returns as path the step that is now in its place, or the one before, or what is around it */
export function removeStep(text: string, path: Path): EditResult {
  const { list, index } = positionOf(path);
  let remaining = 0;
  const edited = edit(text, (document) => {
    const seq = listAt(document, list);
    seq.items.splice(index, 1);
    remaining = seq.items.length;
    if (remaining === 0) dropOptional(document, list);
    return seq;
  });
  return { ...edited, path: remaining > 0 ? [...list, Math.min(index, remaining - 1)] : parentStepOf(list) };
}

/** The same step once more, right after it. Ids stay with the first: two steps must not have the same. */
export const duplicateStep = (text: string, path: Path): EditResult =>
  edit(text, (document) => {
    const { list, index } = positionOf(path);
    const seq = listAt(document, list);
    const copy = (seq.items[index] as Node).clone() as Node;
    visit(copy, {
      Map: (_, map) => void (isScalar(map.get('action', true)) && map.delete('id')),
      Node: (_, node) => void ('anchor' in node && delete node.anchor),
    });
    seq.items.splice(index + 1, 0, copy);
    return copy;
  });

/**
 * Takes a step to an index of a list, counted as the list is before.
 * @throws Error when the list is inside of the step
 */
export function moveStep(text: string, from: Path, list: Path, index: number): EditResult {
  if (isWithin(list, from)) throw new Error('A step cannot stand inside of itself');
  return edit(text, (document) => {
    const origin = positionOf(from);
    const source = listAt(document, origin.list);
    const target = listAt(document, list);
    const [node] = source.items.splice(origin.index, 1);
    if (!node) throw new Error('There is no such step');
    // Before the step stands elsewhere: paths are other ones then.
    if (source.items.length === 0) dropOptional(document, origin.list);
    target.items.splice(source === target && origin.index < index ? index - 1 : index, 0, node);
    return node;
  });
}

/** An `else`, a `catch`, a `finally` or a branch goes with its last step: empty it would be refused, or pass over what failed. */
function dropOptional(document: Document, list: Path): void {
  if (list.at(-1) !== 'steps' || list.at(-2) === 'branches') document.deleteIn(list);
}

/**
 * Gives a field of a step a value, or takes it away (undefined). A value of the same kind keeps its quotes and its comment; an object
 * that loses its last field goes, too.
 * @param field where in the step, e.g. `['target', 'name']`
 */
export const setField = (text: string, step: Path, field: Path, value: unknown): EditResult =>
  edit(text, (document) => {
    const path = [...step, ...field];
    const node = document.getIn(step, true);
    if (!isMap(node)) throw new Error('There is no such step');
    if (value === undefined) {
      document.deleteIn(path);
      for (let parentPath = path.slice(0, -1); parentPath.length > step.length; parentPath = parentPath.slice(0, -1)) {
        const parent = document.getIn(parentPath, true);
        if (!(isMap(parent) || isSeq(parent)) || parent.items.length > 0) break;
        document.deleteIn(parentPath);
      }
      return node;
    }
    const old = document.getIn(path, true);
    const isPlain = value === null || typeof value !== 'object';
    if (isScalar(old) && isPlain) {
      // Nothing had to be quoted to be seen; something does not.
      if (old.value === '') delete old.type;
      old.value = value;
    } else {
      document.setIn(path, document.createNode(value));
      if (field.length === 1 && old === undefined) moveBeforeLists(node.items);
    }
    return node;
  });

/** A new field stands with the others, before the steps of its block. */
function moveBeforeLists(items: { key: unknown }[]): void {
  const newItem = items.at(-1);
  const isList = (key: unknown) => isScalar(key) && ([...listFields, 'branches'] as unknown[]).includes(key.value);
  const first = items.findIndex(({ key }) => isList(key));
  if (!newItem || first < 0 || isList(newItem.key)) return;
  items.pop();
  items.splice(first, 0, newItem);
}

/** What the keyboard does to a step. */
export type Shift = 'up' | 'down' | 'in' | 'out';

/**
 * Takes a step one place on: past its neighbour, into the block before it, or out of its block to right after it.
 * @param into the list of the block at a path that takes steps; null: there is no block
 * @returns null where there is no such place
 */
export function shiftStep(
  text: string,
  path: Path,
  shift: Shift,
  into: (path: Path) => Path | null,
): EditResult | null {
  const { list, index } = positionOf(path);
  if (shift === 'up') return index > 0 ? moveStep(text, path, list, index - 1) : null;
  if (shift === 'down') {
    const last = (documentOf(text).getIn(list) as YAMLSeq | undefined)?.items.length ?? 0;
    return index + 1 < last ? moveStep(text, path, list, index + 2) : null;
  }
  if (shift === 'in') {
    const inner = index === 0 ? null : into([...list, index - 1]);
    if (!inner) return null;
    const seq = documentOf(text).getIn(inner);
    return moveStep(text, path, inner, isSeq(seq) ? seq.items.length : 0);
  }
  if (list.length === 1) return null;
  const block = positionOf(parentStepOf(list));
  return moveStep(text, path, block.list, block.index + 1);
}

/** The document of a text. @throws Error when the text is no YAML within the limits of a workflow file */
function documentOf(text: string): Document {
  try {
    // A text of nothing but comments has no document; its comments are kept.
    return readYaml(text)?.document ?? parseDocument(text, { uniqueKeys: false });
  } catch (error) {
    throw new Error('The file cannot be read: mend the YAML first', { cause: error });
  }
}

function edit(text: string, change: (document: Document) => unknown): EditResult {
  const document = documentOf(text);
  // What is written above the first step belongs to it, not to the list: it moves with it.
  visit(document, {
    Seq(_, seq) {
      const [first] = seq.items;
      if (!seq.commentBefore || !isMap(first)) return;
      first.commentBefore = [seq.commentBefore, first.commentBefore].filter(Boolean).join('\n');
      seq.commentBefore = undefined;
    },
  });
  const printed = document.toString(yamlFormat);
  const changedNode = change(document);
  return {
    text: preserveFormatting(text, printed, document.toString(yamlFormat)),
    path: pathOf(document, changedNode),
  };
}

/** Where a node stands, as keys and indices. */
function pathOf(document: Document, target: unknown): Path {
  let path: (string | number)[] = [];
  visit(document, (_, node, ancestors) => {
    if (node !== target) return undefined;
    path = [];
    const line = [...ancestors, node];
    for (const [index, one] of line.entries()) {
      const inside = line[index + 1];
      if (isSeq(one)) path.push(one.items.indexOf(inside));
      else if (isPair(one)) path.push(String(isScalar(one.key) ? one.key.value : one.key));
    }
    return visit.BREAK;
  });
  return path;
}

function listAt(document: Document, list: Path): YAMLSeq {
  const node = document.getIn(list, true);
  if (isSeq(node)) {
    // `[]` is how an empty list is printed; one with steps has a line for each.
    if (node.items.length === 0) node.flow = false;
    return node;
  }
  const created = new YAMLSeq();
  document.setIn(list, created);
  return created;
}
