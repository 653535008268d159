import { fieldErrors, withKnownKeys } from '@pilothouse/contract/errors/field-errors';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { uniqueErrors } from './lint-references.ts';
import { lintDefinition } from './lint-workflow.ts';

/** Maximum number of repairs before the rest of the file is left unchecked. */
const MAX_ROUNDS = 10;

/** Fields that contain steps. */
const STEP_LISTS: ReadonlySet<string> = new Set(['steps', 'else', 'catch', 'finally']);

/** Stands for a step that does not match the schema. A new object each time: a repair may change it. */
const placeholder = () => ({ action: 'wait', seconds: 1 });

/** Values of required fields of the file that are invalid or missing. */
const SUBSTITUTES: Readonly<Record<string, () => unknown>> = { name: () => 'workflow', steps: () => [placeholder()] };

/**
 * Problems of a workflow that does not match its schema, in one round: those of the schema, and those that `lintDefinition` finds in the
 * rest. Invalid parts are left out of the rest, and problems that result from their absence are not reported.
 */
export function sourceProblems(source: unknown): FieldError[] {
  const value = copyOf(source);
  const problems: FieldError[] = [];
  const removed: Removed = {
    pointers: [],
    ids: new Set(),
    inputs: new Set(),
    hasBlock: false,
    hasInputs: false,
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = workflowDefinitionSchema.safeParse(value, { error: withKnownKeys });
    if (parsed.success) {
      const lintProblems = lintDefinition(parsed.data).filter((problem) => !dependsOn(removed, problem));
      return uniqueErrors([...problems, ...lintProblems]);
    }
    const errors = fieldErrors(parsed.error);
    problems.push(...errors.filter((error) => !isNear(removed, error.pointer)));
    for (const { pointer } of errors) if (!remove(value, keysOf(pointer), removed)) return uniqueErrors(problems);
  }
  return uniqueErrors(problems);
}

/** Parts that were left out. */
interface Removed {
  readonly pointers: string[];
  readonly ids: Set<string>;
  readonly inputs: Set<string>;
  /** True if a block was left out, which may have set variables. */
  hasBlock: boolean;
  /** True if all inputs of a workflow were left out. */
  hasInputs: boolean;
}

/** A copy of a parsed file. Parts that an alias shares stay shared. */
function copyOf(value: unknown, copies = new Map<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const [key, item] of Object.entries(value)) Object.assign(copy, { [key]: copyOf(item, copies) });
  return copy;
}

const keysOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if a pointer is at, above or below a part that was left out. */
const isNear = ({ pointers }: Removed, pointer: string): boolean =>
  pointers.some(
    (removed) => removed === pointer || removed.startsWith(`${pointer}/`) || pointer.startsWith(`${removed}/`),
  );

/** True if a problem may result from a part that was left out. */
function dependsOn(removed: Removed, { pointer, detail }: FieldError): boolean {
  const [, root, name] = /^[^:]*\b(steps|inputs|vars)[.](\w+)/.exec(detail) ?? [];
  return (
    isNear(removed, pointer) ||
    (root === 'steps' && removed.ids.has(name ?? '')) ||
    (root === 'inputs' && (removed.hasInputs || removed.inputs.has(name ?? ''))) ||
    (root === 'vars' && removed.hasBlock)
  );
}

/**
 * Removes the smallest part around an invalid value that moves no other step.
 * @returns false when nothing can be removed
 */
function remove(value: unknown, keys: readonly string[], removed: Removed): boolean {
  const trail = [value];
  for (const key of keys) {
    const container = trail.at(-1);
    if (Array.isArray(container)) trail.push(container[Number(key)]);
    else trail.push(isObject(container) && Object.hasOwn(container, key) ? container[key] : undefined);
  }
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const container = trail[index];
    const key = keys[index] ?? '';
    const part = trail[index + 1];
    const pointer = `/${keys.slice(0, index + 1).join('/')}`;
    if (Array.isArray(container)) {
      if (!isStepList(keys, index) || part === undefined) continue;
      collectNames(part, removed);
      container[Number(key)] = placeholder();
      removed.pointers.push(pointer);
      return true;
    }
    if (!isObject(container)) continue;
    const substitute = index === 0 && Object.hasOwn(SUBSTITUTES, key) ? SUBSTITUTES[key]?.() : undefined;
    if (part === undefined && substitute === undefined) continue;
    collectNames(part, removed);
    if (keys[index - 1] === 'inputs') removed.inputs.add(key);
    if (isInputs(keys, index)) removed.hasInputs = true;
    if (substitute === undefined) delete container[key];
    else container[key] = substitute;
    removed.pointers.push(pointer);
    return true;
  }
  return false;
}

/** True if the key at an index is a position in a list of steps. Branches are lists of steps, too. */
const isStepList = (keys: readonly string[], index: number) =>
  STEP_LISTS.has(keys[index - 1] ?? '') || keys[index - 2] === 'branches';

/** True if the key at an index holds the inputs of the file or a workflow. */
const isInputs = (keys: readonly string[], index: number) =>
  keys[index] === 'inputs' && (index === 0 || (index === 2 && keys[0] === 'workflows'));

/** Collects the names that a part defines. */
function collectNames(part: unknown, removed: Removed): void {
  if (Array.isArray(part)) for (const item of part) collectNames(item, removed);
  if (!isObject(part)) return;
  if (typeof part['id'] === 'string') removed.ids.add(part['id']);
  if (typeof part['action'] === 'string') removed.hasBlock = true;
  for (const child of Object.values(part)) collectNames(child, removed);
}
