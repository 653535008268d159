import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { poll } from '@pilothouse/core/time/deadlines';
import { basename, join } from 'node:path';
import type { DesktopHandler } from '../action-context.ts';
import { collectFiles, putFile as copyIntoHome, type CollectedFile } from '../session/session-files.ts';
import { optionsOf } from '../session/session-client.ts';

/** Copies a file input of the run into its home folder. */
export const putFile: DesktopHandler<'putFile'> = async (context, { file, path }) => {
  const source = await context.file(file);
  context.guard();
  const target = await copyIntoHome(context.session, source, path ?? basename(source), optionsOf(context));
  return { located: null, value: { path: target } };
};

/**
 * Stores files of the home folder as artifacts.
 * @throws PilothouseError TARGET_NOT_FOUND if none exists at the deadline
 */
export const collectFile: DesktopHandler<'collectFile'> = async (context, { path, glob }) => {
  const pattern = path ?? glob ?? '';
  const isGlob = path === undefined;
  const folder = join(context.filesFolder, 'collected');
  const files = await poll(async () => {
    const found = await collectFiles(context.session, { pattern, isGlob }, folder, optionsOf(context));
    return found.length > 0 ? found : undefined;
  }, context);
  const [file] = files ?? [];
  if (!files || !file)
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      `No complete file in the home folder matches ${JSON.stringify(pattern)}; use a path relative to that folder`,
    );
  for (const { name, copy, size, contentType } of files)
    context.onFile({ kind: 'download', name, path: copy, size, contentType });
  return { located: null, value: isGlob ? files.map(describeFile) : describeFile(file) };
};

const describeFile = ({ path, name, contentType, size }: CollectedFile): Json => ({ path, name, contentType, size });
