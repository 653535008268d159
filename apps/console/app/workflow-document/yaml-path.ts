/** Keys and indices of a node in a workflow file, e.g. `['steps', 0, 'catch', 1]`. */
export type Path = readonly (string | number)[];

/** A path as a JSON pointer. */
export const keyOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** True if a path equals another path or is below it. */
export const isWithin = (path: Path, around: Path): boolean =>
  path.length >= around.length && around.every((part, index) => path[index] === part);

/** The list of a step, and its index there. */
export const positionOf = (path: Path): { list: Path; index: number } => ({
  list: path.slice(0, -1),
  index: Number(path.at(-1)),
});

/**
 * Finds the step of the file for the path of a run step, such as `orders[3]/1/catch/1`. Iterations are ignored, and
 * conditions of a block (`1/if`) belong to the block. Steps of a called workflow belong to the calling step.
 * @param steps all steps of the file
 */
export function pathOfRunStep(runStep: string, steps: readonly NamedStep[]): Path {
  const byId = new Map(steps.map((step) => [step.value.id, step]));
  let path: Path = [];
  let field = 'steps';
  for (const part of runStep.split('/')) {
    const [, name = '', digits] = /^(([1-9][0-9]*)|\w+)(?:\[[1-9][0-9]*\])?$/.exec(part) ?? [];
    const namedStep = byId.get(name);
    if (digits !== undefined) path = [...path, field, Number(digits) - 1];
    else if (name === 'else' || name === 'catch' || name === 'finally') {
      field = name;
      continue;
    } else if (namedStep) path = namedStep.path;
    else break;
    field = 'steps';
    const pathKey = keyOf(path);
    if (steps.some(({ path: stepPath, action }) => action === 'call' && keyOf(stepPath) === pathKey)) break;
  }
  return path;
}

/** Step of the file with the fields that the lookup needs. */
export interface NamedStep {
  path: Path;
  action: string;
  value: Readonly<Record<string, unknown>>;
}

/** URL fragment that selects the step of a run step in the editor. */
export const stepFragment = (runStep: string): string => `at=${encodeURIComponent(runStep)}`;

/** Splits a path within a block: `['catch', 1]` is a step of its `catch`, `['branches', 'prices', 0]` a step of a branch. */
export function blockOf([field, ...path]: Path): { field: string; branch?: string; path: Path } {
  if (field !== 'branches') return { field: String(field), path };
  const [branch, ...inner] = path;
  return { field, branch: String(branch), path: inner };
}

/** The step that contains a list; empty for the list of the workflow. */
export const parentStepOf = (list: Path): Path => list.slice(0, list.at(-2) === 'branches' ? -2 : -1);
