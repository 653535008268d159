import { truncateWithLength } from '../observation/observation-text.ts';

/* Files that a goal names: the run has them by an id, a model by their names. */

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

/** The name by which a model knows a file; two with the same name keep a part of their ids. */
function nameOf({ id, name }: FileFacts, files: readonly FileFacts[]): string {
  const short = truncateWithLength(name, 80);
  return files.filter((one) => one.name === name).length > 1 ? `${short} (${id.slice(-4)})` : short;
}

/** A text with its files by their names. */
export const withFileNames = (text: string, files: readonly FileFacts[]): string =>
  files.reduce((rest, file) => rest.replaceAll(file.id, `“${nameOf(file, files)}”`), text);

/** The files that may be uploaded, a line for each: its name, type and size. */
export const fileLines = ({ files = [] }: { readonly files?: readonly FileFacts[] }): string[] =>
  files.map((file) => `File to upload: “${nameOf(file, files)}”, ${file.contentType}, ${sizeInWords(file.size)}`);

const sizeInWords = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The id of the file that a model names; the text itself where it names none. */
export function fileNamed(written: string, files: readonly FileFacts[]): string {
  const text = written.trim().replace(/^[“"']|[”"']$/g, '');
  return files.find((file) => file.id === text || nameOf(file, files) === text || file.name === text)?.id ?? written;
}
