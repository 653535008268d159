/** Keys and indices that lead to something in a workflow file, e.g. `['steps', 0, 'catch', 1]`. */
export type Path = readonly (string | number)[];

/** A path as a text to compare and look up: a JSON pointer. */
export const keyOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Whether a path is another one, or leads into it. */
export const isWithin = (path: Path, around: Path): boolean =>
  path.length >= around.length && around.every((part, index) => path[index] === part);

/** The list that a step stands in, and its index there. */
export const placeOf = (path: Path): { list: Path; index: number } => ({
  list: path.slice(0, -1),
  index: Number(path.at(-1)),
});

/**
 * The step of the file at a place of a run, such as `2[3]/1/catch/1`: rounds have no part in it, and what a block asks the page by
 * itself (`1/if`) is the block's. Inside of a called workflow it means nothing here.
 */
export function pathOfPlace(at: string): Path {
  const path: (string | number)[] = [];
  let field = 'steps';
  for (const part of at.split('/')) {
    const index = /^([1-9][0-9]*)(?:\[[1-9][0-9]*\])?$/.exec(part)?.[1];
    if (index !== undefined) {
      path.push(field, Number(index) - 1);
      field = 'steps';
    } else if (part === 'else' || part === 'catch' || part === 'finally') field = part;
    else break;
  }
  return path;
}

/**
 * What of a block a path within it leads to: `['catch', 1]` to a step of its `catch`, `['branches', 'prices', 0]` to one of a branch.
 */
export function blockOf([field, ...path]: Path): { field: string; branch?: string; path: Path } {
  if (field !== 'branches') return { field: String(field), path };
  const [branch, ...inner] = path;
  return { field, branch: String(branch), path: inner };
}

/** The step that a list belongs to; that of the workflow itself belongs to none. */
export const ownerOf = (list: Path): Path => list.slice(0, list.at(-2) === 'branches' ? -2 : -1);
