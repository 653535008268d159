/* Folders next to each other whose imports form a circle. Spec files and test code do not count. */

/** An import: the importing file and the imported file, from the root of the repository. */
export type ImportEdge = readonly [from: string, to: string];

/** A circle of sibling folders. */
export interface FolderCircle {
  /** The folder that contains them. */
  readonly parent: string;
  /** Names in the order of the imports; the last imports the first. */
  readonly folders: readonly string[];
  /** One import for each step of the circle. */
  readonly imports: readonly ImportEdge[];
}

/** Depth of a package folder, e.g. `apps/api`. Packages have their own rules. */
const PACKAGE_DEPTH = 2;

const TEST_CODE = /[.]spec[.]tsx?$|[.]fixture[.]tsx?$|\/testing\//;

/** Folders and one import of each, by the importing folder. */
type Siblings = Map<string, Map<string, ImportEdge>>;

/** Finds the shortest circle through each sibling folder; a circle is reported once. */
export function findFolderCircles(edges: readonly ImportEdge[]): FolderCircle[] {
  const siblingsByParent = new Map<string, Siblings>();
  for (const edge of edges) {
    if (edge.some((path) => TEST_CODE.test(path))) continue;
    const [source, target] = edge.map((path) => path.split('/')) as [string[], string[]];
    const depth = source.findIndex((name, index) => name !== target[index]);
    // A file next to a folder is not a sibling folder.
    if (depth < PACKAGE_DEPTH || depth >= source.length - 1 || depth >= target.length - 1) continue;
    const parent = source.slice(0, depth).join('/');
    const siblings = siblingsByParent.get(parent) ?? new Map<string, Map<string, ImportEdge>>();
    siblingsByParent.set(parent, siblings);
    const imports = siblings.get(source[depth] ?? '') ?? new Map<string, ImportEdge>();
    siblings.set(source[depth] ?? '', imports);
    if (!imports.has(target[depth] ?? '')) imports.set(target[depth] ?? '', edge);
  }
  const circles = [...siblingsByParent].flatMap(([parent, siblings]) =>
    [...siblings.keys()].toSorted().flatMap((folder) => {
      const circle = shortestCircle(siblings, folder);
      return circle ? [{ parent, ...circle }] : [];
    }),
  );
  const keys = circles.map(({ parent, folders }) => [parent, ...folders.toSorted()].join('\n'));
  return circles.filter((_circle, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Breadth-first search from a folder back to itself. */
function shortestCircle(siblings: Siblings, start: string): Omit<FolderCircle, 'parent'> | undefined {
  const previous = new Map<string, string>();
  const queue = [start];
  for (const folder of queue)
    for (const next of siblings.get(folder)?.keys() ?? []) {
      if (next !== start) {
        if (previous.has(next)) continue;
        previous.set(next, folder);
        queue.push(next);
        continue;
      }
      const folders = [folder];
      while (folders[0] !== start) folders.unshift(previous.get(folders[0] ?? '') ?? start);
      const imports = folders.flatMap((name, index) => {
        const edge = siblings.get(name)?.get(folders[index + 1] ?? start);
        return edge ? [edge] : [];
      });
      return { folders, imports };
    }
  return undefined;
}
