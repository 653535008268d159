import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive, identifyProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';

const run = promisify(execFile);

const PREFIX = 'pilothouse-chaos-';
/** Prefix of the folder of one system; others with the prefix are shared. */
const FOLDER = /^pilothouse-chaos-h\d+-\w{6}$/;
/** File with the owning process. */
const OWNER = 'owner.json';

/** Folder for objects of a system, which may be a mount point. */
export const diskOf = (dir: string): string => join(dir, 'disk');

/**
 * Creates a folder for a system of this process. Removes folders of systems whose process is gone.
 * @param name `h` and a number
 */
export async function createWorkFolder(name: string, parent = tmpdir()): Promise<string> {
  await removeStaleFolders(parent);
  const dir = await mkdtemp(join(parent, `${PREFIX}${name}-`));
  await chmod(dir, 0o755); // PostgreSQL and workers run as other users
  // Complete as soon as it is readable.
  await writeFile(join(dir, `${OWNER}.new`), JSON.stringify(identifyProcess(process.pid)));
  await rename(join(dir, `${OWNER}.new`), join(dir, OWNER));
  return dir;
}

async function removeStaleFolders(parent: string): Promise<void> {
  const dirs = (await readdir(parent)).filter((name) => FOLDER.test(name)).map((name) => join(parent, name));
  for (const dir of dirs) {
    if (!(await isStale(dir))) continue;
    await run('umount', [diskOf(dir)]).catch(() => undefined);
    // Another suite may be removing it, or a server of that system is stopping: the next suite then removes it.
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True when the owning process is gone. A folder without an owner file is being created. */
async function isStale(dir: string): Promise<boolean> {
  const owner = await readFile(join(dir, OWNER), 'utf8').catch(() => null);
  return owner !== null && !isAlive(JSON.parse(owner) as ProcessIdentity);
}
