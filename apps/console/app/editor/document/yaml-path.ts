/** Keys and indices that lead to something in a workflow file, e.g. `['steps', 0, 'catch', 1]`. */
export type Path = readonly (string | number)[];

/** A path as a text to compare and look up: a JSON pointer. */
export const keyOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Whether a path is another one, or leads into it. */
export const isWithin = (path: Path, around: Path): boolean =>
  path.length >= around.length && around.every((part, index) => path[index] === part);

/** The list that a step stands in, and its index there. */
export const positionOf = (path: Path): { list: Path; index: number } => ({
  list: path.slice(0, -1),
  index: Number(path.at(-1)),
});

/**
 * The step of the file at a place of a run, such as `orders[3]/1/catch/1`: rounds have no part in it, and what a block asks the page by
 * itself (`1/if`) is the block's. Inside of a called workflow it is the step that calls it.
 * @param steps all of the file
 */
export function pathOfRunStep(at: string, steps: readonly NamedStep[]): Path {
  const byId = new Map(steps.map((step) => [step.value.id, step]));
  let path: Path = [];
  let field = 'steps';
  for (const part of at.split('/')) {
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
    if (steps.some(({ path: one, action }) => action === 'call' && keyOf(one) === pathKey)) break;
  }
  return path;
}

/** What of a step of the file its place in a run is found by. */
export interface NamedStep {
  path: Path;
  action: string;
  value: Readonly<Record<string, unknown>>;
}

/** The fragment of a link to the step of the file at a place of a run. */
export const stepFragment = (at: string): string => `at=${encodeURIComponent(at)}`;

/**
 * What of a block a path within it leads to: `['catch', 1]` to a step of its `catch`, `['branches', 'prices', 0]` to one of a branch.
 */
export function blockOf([field, ...path]: Path): { field: string; branch?: string; path: Path } {
  if (field !== 'branches') return { field: String(field), path };
  const [branch, ...inner] = path;
  return { field, branch: String(branch), path: inner };
}

/** The step that a list belongs to; that of the workflow itself belongs to none. */
export const parentStepOf = (list: Path): Path => list.slice(0, list.at(-2) === 'branches' ? -2 : -1);
