import { PilothouseError, toPilothouseError } from '@pilothouse/contract';
import { errorCode } from '../code-of.ts';

const sentences: Record<string, string> = {
  ENOSPC: 'the disk is full; make room or lower the retention',
  EDQUOT: 'the disk quota is used up; make room or raise it',
  EROFS: 'the file system is read-only',
  EACCES: 'this process may not write there; give it the folder or choose another',
  EPERM: 'this process may not write there; give it the folder or choose another',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENOTDIR: 'a part of the key is an object itself',
  EISDIR: 'the key is a folder of other objects',
  EIO: 'the disk reports an error',
};

/** What is wrong with the folder, as the end of a sentence. */
export const folderProblem = (error: unknown) => sentences[errorCode(error)] ?? toPilothouseError(error).message;

/** A failed write as an error of the catalogue; what is one already stays. */
export function toWriteError(error: unknown, key: string): PilothouseError {
  if (error instanceof PilothouseError) return error;
  return new PilothouseError('UPLOAD_FAILED', `The object ${key} was not stored: ${folderProblem(error)}`, {
    cause: error,
  });
}
