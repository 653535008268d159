import type { Json } from '@pilothouse/contract/primitives.schema';
import type { RunArtifact } from './run-state.ts';

/** Kinds of artifacts that steps return as values. */
const valueKinds: ReadonlySet<string> = new Set(['download', 'data', 'screenshot']);

/**
 * The artifact that a value names: an object with the name and size of a file, as `download` and `collectFile` return it, or the id of an
 * artifact. Of files with the same name and size, the last one.
 */
export function artifactOf(value: Json, artifacts: readonly RunArtifact[]): RunArtifact | undefined {
  if (typeof value === 'string') return artifacts.find(({ id }) => id === value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { name, size } = value;
  if (typeof name !== 'string' || typeof size !== 'number') return undefined;
  return artifacts.findLast(
    (artifact) => valueKinds.has(artifact.kind) && artifact.name === name && artifact.size === size,
  );
}

/** The files that a value contains, in order and without repetition. */
export function filesIn(value: Json, artifacts: readonly RunArtifact[]): RunArtifact[] {
  if (artifacts.length === 0) return [];
  const found = new Set<RunArtifact>();
  const visit = (part: Json): void => {
    const artifact = artifactOf(part, artifacts);
    if (artifact) found.add(artifact);
    else if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) visit(inner);
  };
  visit(value);
  return [...found];
}
