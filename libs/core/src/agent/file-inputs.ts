import { truncateWithLength } from '../observation/observation-text.ts';

/* Files that a goal names. The run refers to them by id, a model by name. */

/** A file input of the run. */
export interface FileFacts {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

/** Ids of files in a text. */
export const fileIdsIn = (text: string): string[] => [
  ...new Set(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi)),
];

/** Name of a file in prompts. Files with the same name also contain a part of their id. */
function nameOf({ id, name }: FileFacts, files: readonly FileFacts[]): string {
  const shortName = truncateWithLength(name, 80);
  return files.filter((file) => file.name === name).length > 1 ? `${shortName} (${id.slice(-4)})` : shortName;
}

/** Replaces file ids in a text with names. */
export const withFileNames = (text: string, files: readonly FileFacts[]): string =>
  files.reduce((result, file) => result.replaceAll(file.id, `“${nameOf(file, files)}”`), text);

/** One line per uploadable file: name, type and size. */
export const fileLines = ({ files = [] }: { readonly files?: readonly FileFacts[] }): string[] =>
  files.map((file) => `File to upload: “${nameOf(file, files)}”, ${file.contentType}, ${formatSize(file.size)}`);

const formatSize = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Id of the file that a model names; the text itself if it names no file. */
export function resolveFileId(nameOrId: string, files: readonly FileFacts[]): string {
  const text = nameOrId.trim().replace(/^[“"']|[”"']$/g, '');
  return files.find((file) => file.id === text || nameOf(file, files) === text || file.name === text)?.id ?? nameOrId;
}
