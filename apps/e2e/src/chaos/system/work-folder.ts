import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive, identifyProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';

const run = promisify(execFile);

const PREFIX = 'pilothouse-chaos-';
/** Of a system; others of that prefix are for all of them. */
const FOLDER = /^pilothouse-chaos-h\d+-\w{6}$/;
/** In the folder: which process it is of. */
const OWNER = 'owner.json';

/** Where a system keeps its objects: something may be mounted there. */
export const diskOf = (dir: string): string => join(dir, 'disk');

/** A folder for a system of this process. Those of systems whose process is gone, however it went, are removed. @param name `h` and a number */
export async function createWorkFolder(name: string, parent = tmpdir()): Promise<string> {
  await removeStaleFolders(parent);
  const dir = await mkdtemp(join(parent, `${PREFIX}${name}-`));
  await chmod(dir, 0o755); // PostgreSQL and workers run as other users
  // Whole from the first moment that anybody can read it.
  await writeFile(join(dir, `${OWNER}.new`), JSON.stringify(identifyProcess(process.pid)));
  await rename(join(dir, `${OWNER}.new`), join(dir, OWNER));
  return dir;
}

async function removeStaleFolders(parent: string): Promise<void> {
  const dirs = (await readdir(parent)).filter((name) => FOLDER.test(name)).map((name) => join(parent, name));
  for (const dir of dirs) {
    if (!(await isStale(dir))) continue;
    await run('umount', [diskOf(dir)]).catch(() => undefined);
    // Another suite may be at it, or a server of that system on its way out: then the next one does it.
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether the process that made a folder is gone. One that says nothing is only just being made. */
async function isStale(dir: string): Promise<boolean> {
  const owner = await readFile(join(dir, OWNER), 'utf8').catch(() => null);
  return owner !== null && !isAlive(JSON.parse(owner) as ProcessIdentity);
}
