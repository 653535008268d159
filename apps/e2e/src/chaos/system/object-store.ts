import { execFile } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { diskOf } from './work-folder.ts';
import { NetworkGate } from './network-gate.ts';

const run = promisify(execFile);

/**
 * Size of the small disk for objects, in bytes: more than one case stores. Each file and each folder uses at least one
 * memory page.
 */
const DISK_BYTES = 16 * 1024 * 1024;

/** An S3 server on this machine. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** An object store that can refuse writes, or be full. */
export interface Store {
  /** Settings of the API. */
  readonly env: Readonly<Record<string, string>>;
  refuse(): Promise<void>;
  /**
   * Fills the store where possible; otherwise it refuses writes.
   * @returns the fault that was applied
   */
  fill(): Promise<'full' | 'refusing'>;
  restore(): Promise<void>;
  /** Removes objects of former cases: they must not fill the disk. */
  forget(runs: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Stores objects in a folder on a small disk where this process may mount one, otherwise on the existing disk. */
export async function folderStore(dir: string): Promise<Store> {
  const disk = diskOf(dir);
  const objects = join(disk, 'objects');
  const filler = join(disk, 'filler');
  await mkdir(disk, { recursive: true });
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=755`, 'tmpfs', disk]).then(
    () => true,
    () => false,
  );
  await mkdir(objects);
  const refuse = async () => {
    await rename(objects, `${objects}.away`);
    await writeFile(objects, 'a file in place of the folder');
  };
  let state: 'sound' | 'refusing' | 'full' = 'sound';
  return {
    env: { OBJECT_STORE_DIR: objects },
    refuse: async () => {
      state = 'refusing';
      await refuse();
    },
    fill: async () => {
      if (!isMounted) {
        state = 'refusing';
        await refuse();
        return state;
      }
      state = 'full';
      // Writes until the disk is full: the last write fails and its data stays.
      await writeFile(filler, Buffer.alloc(2 * DISK_BYTES)).catch(() => undefined);
      return state;
    },
    restore: async () => {
      if (state === 'full') await rm(filler);
      if (state === 'refusing') {
        await rm(objects);
        await rename(`${objects}.away`, objects);
      }
      state = 'sound';
    },
    forget: async (runs) => {
      // A failure to restore it was already reported.
      await Promise.allSettled(runs.map((run) => rm(join(objects, 'runs', run), { recursive: true, force: true })));
    },
    close: async () => {
      if (isMounted) await run('umount', [disk]);
    },
  };
}

/** Stores objects in an S3 server behind a gate that can be closed. */
export async function s3Store({ endpoint, accessKey, secretKey }: S3Server, bucket: string): Promise<Store> {
  const gate = await NetworkGate.open(() => [Number(new URL(endpoint).port)]);
  const close = () => {
    gate.mode = 'closed';
    return Promise.resolve();
  };
  return {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${gate.port}`,
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      S3_BUCKET: bucket,
    },
    refuse: close,
    // The disk of the server is shared and must not be filled.
    fill: () => close().then(() => 'refusing'),
    restore: () => {
      gate.mode = 'open';
      return Promise.resolve();
    },
    // The server has enough disk space for hours.
    forget: () => Promise.resolve(),
    close: () => gate.close(),
  };
}
