import { execFile } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { diskOf } from './work-folder.ts';
import { NetworkGate } from './network-gate.ts';

const run = promisify(execFile);

/** Bytes of the small disk for objects: more than one case puts there, each file a page of memory and each of its folders as much. */
const DISK_BYTES = 16 * 1024 * 1024;

/** An S3 server of this machine. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** An object store that can refuse, or be full. */
export interface Store {
  /** Settings of the API. */
  readonly env: Readonly<Record<string, string>>;
  refuse(): Promise<void>;
  /** Leaves no room, where it can; elsewhere it refuses. @returns which of the two */
  fill(): Promise<'full' | 'refusing'>;
  restore(): Promise<void>;
  /** Removes what runs of a former case have kept: a disk that is full by itself is no fault. */
  forget(runs: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Objects in a folder on a small disk of its own, where this process may mount one; else on the disk that is there. */
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
    await writeFile(objects, 'no folder any more');
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
      // Written until there is no room: the last write fails, and what it wrote stays.
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
      // Where it could not be mended, that was said.
      await Promise.allSettled(runs.map((run) => rm(join(objects, 'runs', run), { recursive: true, force: true })));
    },
    close: async () => {
      if (isMounted) await run('umount', [disk]);
    },
  };
}

/** Objects in an S3 server behind a gate that can be closed. */
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
    // Its disk is not ours to fill.
    fill: () => close().then(() => 'refusing'),
    restore: () => {
      gate.mode = 'open';
      return Promise.resolve();
    },
    // The server has a disk for hours.
    forget: () => Promise.resolve(),
    close: () => gate.close(),
  };
}
