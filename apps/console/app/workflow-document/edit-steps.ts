import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { isMap, isPair, isScalar, isSeq, parseDocument, visit, YAMLSeq, type Document, type Node } from 'yaml';
import { preserveFormatting } from './preserve-formatting.ts';
import { isWithin, parentStepOf, positionOf, type Path } from './yaml-path.ts';

/*
 * Edits of the graph on a workflow file. Each operation takes a text and returns one. It changes the document tree, so
 * that comments, key order, quoting and the formatting of unchanged parts are preserved. A file that is not valid YAML
 * is not changed.
 */

/** A text after an edit, and the path of the edited step. */
export interface EditResult {
  text: string;
  path: Path;
}

/** Fields that contain steps, in the order of the file. */
export const listFields = ['steps', 'else', 'catch', 'finally'] as const;

/** YAML format of the console. Parsing and printing with it yields the same text. */
export const yamlFormat = { lineWidth: 120 } as const;

/** Inserts a step at an index of a list, and creates the list if it does not exist. */
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

/** Removes a step. @returns as path the step at its index, the previous step, or the parent step */
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

/** Inserts a copy of a step after it. The copy has no ids, because ids are unique. */
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

/** Moves a step to an index of a list, counted before the move. @throws Error if the list is inside the step */
export function moveStep(text: string, stepPath: Path, list: Path, index: number): EditResult {
  if (isWithin(list, stepPath)) throw new Error('A step cannot stand inside of itself');
  return edit(text, (document) => {
    const origin = positionOf(stepPath);
    const source = listAt(document, origin.list);
    const target = listAt(document, list);
    const [node] = source.items.splice(origin.index, 1);
    if (!node) throw new Error('Step not found.');
    // Before the insertion, which changes paths.
    if (source.items.length === 0) dropOptional(document, origin.list);
    target.items.splice(source === target && origin.index < index ? index - 1 : index, 0, node);
    return node;
  });
}

/** Removes an optional list together with its last step. An empty list would be invalid, or would swallow errors. */
function dropOptional(document: Document, list: Path): void {
  if (list.at(-1) !== 'steps' || list.at(-2) === 'branches') document.deleteIn(list);
}

/**
 * Sets a field of a step, or removes it (undefined). A value of the same kind keeps its quotes and comment. An object
 * without fields is removed.
 * @param field path in the step, e.g. `['target', 'name']`
 */
export const setField = (text: string, step: Path, field: Path, value: unknown): EditResult =>
  edit(text, (document) => {
    const path = [...step, ...field];
    const node = document.getIn(step, true);
    if (!isMap(node)) throw new Error('Step not found.');
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
      // An empty text needs quotes, other texts may not.
      if (old.value === '') delete old.type;
      old.value = value;
    } else {
      document.setIn(path, document.createNode(value));
      if (field.length === 1 && old === undefined) moveBeforeLists(node.items);
    }
    return node;
  });

/** Moves a new field before the step lists of its block. */
function moveBeforeLists(items: { key: unknown }[]): void {
  const newItem = items.at(-1);
  const isList = (key: unknown) => isScalar(key) && ([...listFields, 'branches'] as unknown[]).includes(key.value);
  const first = items.findIndex(({ key }) => isList(key));
  if (!newItem || first < 0 || isList(newItem.key)) return;
  items.pop();
  items.splice(first, 0, newItem);
}

/** Moves of a step by keyboard. */
export type Shift = 'up' | 'down' | 'in' | 'out';

/**
 * Moves a step by one position: past its neighbor, into the block before it, or out of its block.
 * @param into returns the step list of the block at a path; null: the step is no block
 * @returns null if there is no such position
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

/** Parses a text. @throws Error if the text is no YAML within the limits of a workflow file */
function documentOf(text: string): Document {
  try {
    // A text with comments only has no document; its comments must be kept.
    return readYaml(text)?.document ?? parseDocument(text, { uniqueKeys: false });
  } catch (error) {
    throw new Error('Fix the YAML errors first.', { cause: error });
  }
}

function edit(text: string, change: (document: Document) => unknown): EditResult {
  const document = documentOf(text);
  // A comment above the first step belongs to the step, not to the list, and moves with it.
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

/** Path of a node. */
function pathOf(document: Document, target: unknown): Path {
  let path: (string | number)[] = [];
  visit(document, (_, node, ancestors) => {
    if (node !== target) return undefined;
    path = [];
    const line = [...ancestors, node];
    for (const [index, ancestor] of line.entries()) {
      const inside = line[index + 1];
      if (isSeq(ancestor)) path.push(ancestor.items.indexOf(inside));
      else if (isPair(ancestor)) path.push(String(isScalar(ancestor.key) ? ancestor.key.value : ancestor.key));
    }
    return visit.BREAK;
  });
  return path;
}

function listAt(document: Document, list: Path): YAMLSeq {
  const node = document.getIn(list, true);
  if (isSeq(node)) {
    // An empty list is printed as `[]`, a list with steps in block style.
    if (node.items.length === 0) node.flow = false;
    return node;
  }
  const created = new YAMLSeq();
  document.setIn(list, created);
  return created;
}
