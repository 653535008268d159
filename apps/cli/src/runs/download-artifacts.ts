import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunStepView } from '@pilothouse/contract/run/run.schema';
import { sortableNumber } from '@pilothouse/core/interpreter/step-number';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { clean } from '../output/sanitize-text.ts';
import { CommandError, exitCodes } from '../output/exit-codes.ts';

const DOWNLOAD_TIMEOUT_MS = 600_000;

/** The number of a step that begins the name of a screenshot: `03[002]-01`. */
const LEADING_NUMBER = /^\d+(?:\[\d+\])?(?:-(?:\d+(?:\[\d+\])?|else|catch|finally)(?=-))*/;

/**
 * The name of a screenshot, so that names sort in step order: it begins with the number of its step, whose parts have the same width in all
 * names. A screenshot with a label of its own gets the number, too.
 */
function screenshotNames(artifacts: readonly NamedArtifact[], steps: readonly NumberedStep[]): string[] {
  const numbers = new Map(steps.map(({ index, path, label }) => [index, sortableNumber(label ?? path)]));
  const names = artifacts.map(({ kind, step, name }) => {
    const number = step === null ? undefined : numbers.get(step);
    if (kind !== 'screenshot' || number === undefined) return { number: '', rest: name };
    const stored = LEADING_NUMBER.exec(name)?.[0] ?? '';
    return { number, rest: stored === '' ? `-${name}` : name.slice(stored.length) };
  });
  const widthOf = (part: RegExp) =>
    Math.max(0, ...names.flatMap(({ number }) => number.match(part) ?? []).map(lengthOf));
  const [positionWidth, iterationWidth] = [widthOf(/(?<=^|-)\d+/g), widthOf(/(?<=\[)\d+/g)];
  return names.map(({ number, rest }) => {
    const padded = number
      .replaceAll(/(?<=^|-)\d+/g, (position) => position.padStart(positionWidth, '0'))
      .replaceAll(/(?<=\[)\d+/g, (iteration) => iteration.padStart(iterationWidth, '0'));
    return `${padded}${rest}`;
  });
}

const lengthOf = (text: string) => text.length;

type NamedArtifact = Pick<ArtifactView, 'id' | 'name' | 'kind' | 'step'>;
type NumberedStep = Pick<RunStepView, 'index' | 'path' | 'label'>;

/**
 * A unique file name for each artifact, inside the folder: pages choose the names of downloads.
 * @param steps of the run: names of screenshots begin with their numbers
 */
export function fileNames(
  artifacts: readonly NamedArtifact[],
  steps: readonly NumberedStep[] = [],
): Map<string, string> {
  const usedNames = new Set<string>();
  return new Map(
    screenshotNames(artifacts, steps).map((name, index) => {
      const { id = '' } = artifacts[index] ?? {};
      const safeName = basename(clean(name).replaceAll('\\', '/')).replace(/^\.+/, '') || id;
      const extension = extname(safeName);
      const stem = safeName.slice(0, safeName.length - extension.length).slice(0, 150);
      let unique = `${stem}${extension}`;
      for (let n = 2; usedNames.has(unique.toLowerCase()); n += 1) unique = `${stem}-${n}${extension}`;
      usedNames.add(unique.toLowerCase());
      return [id, unique];
    }),
  );
}

/** Downloads artifacts into a directory, which is created. Returns their absolute paths. Signed URLs need no API key. */
export async function saveArtifacts(
  artifacts: readonly ArtifactView[],
  folder: string,
  api: string,
  cwd: string,
  steps: readonly NumberedStep[] = [],
): Promise<string[]> {
  const into = resolve(cwd, folder);
  await mkdir(into, { recursive: true });
  const names = fileNames(artifacts, steps);
  const paths: string[] = [];
  for (const { id, url, name } of artifacts) {
    const path = join(into, names.get(id) ?? id);
    await saveOne(new URL(url, api), path, clean(name));
    paths.push(path);
  }
  return paths;
}

async function saveOne(url: URL, path: string, name: string): Promise<void> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const partial = `${path}.part`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status} from the object store`);
    await pipeline(Readable.fromWeb(response.body as WebStream), createWriteStream(partial), { signal });
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandError(exitCodes.unreachable, `Could not save ${name} to ${path}: ${reason}.`);
  }
}
