import { slotLauncher, sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INIT_PROGRAM } from '../slot/slot-session-process.ts';
import { SlotSessions, type SlotSessionsOptions } from '../slot/slot-sessions.ts';

/** User of the programs, as in a pod. */
const UID = 10_101;
const KEY = 'key-of-the-slots';

/** Root of the repository, whose packages the session process loads. */
const REPOSITORY = join(import.meta.dirname, '../../../../..');

/**
 * Makes the file systems of a container: a read-only root, an empty /tmp and /dev/shm, and the folder of the socket read-only. Arguments: the
 * repository, which may be below /tmp; the folder of the kit; the command.
 */
const CONTAINER = `set -e
repository=$1 kit=$2; shift 2
mount --bind "$kit/passwd" /etc/passwd
mount --bind "$kit/tini" ${INIT_PROGRAM}
mount --bind "$kit/slot-0" "$kit/slot-0"
mount --bind "$repository" /mnt
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p "$repository" 2>/dev/null || true
mount --bind /mnt "$repository"
umount /mnt
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
awk '$5 !~ "^/(proc|sys|dev|tmp$)" { print $5 }' /proc/self/mountinfo | while read -r path; do
  mount -o remount,ro,bind "$path"
done
if [ "$FOREIGN_MOUNT" ]; then mount -t tmpfs -o mode=1777 tmpfs "$kit/foreign"; fi
exec setpriv --reuid ${UID} --regid ${UID} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all sh -c 'exec "$@"' sh "$@"
`;

/** A slot in a container of its own, as root of this machine makes it. */
export interface SlotKit {
  readonly sessions: SlotSessions;
  /** Kills process 1 of the container, and starts another one if `restarts` says so. */
  killSupervisor(): Promise<void>;
  /** Output of the supervisors. */
  readonly output: () => string;
  /** True: a container that ends is replaced, as a kubelet does. */
  restarts: boolean;
  close(): Promise<void>;
}

export interface ContainerOptions {
  /** True: the container has a writable mount that does not belong to the slot. */
  readonly hasForeignMount?: boolean;
  /** True: programs can read the executable of the init process of sessions. */
  readonly isInitReadable?: boolean;
}

export async function startSlotKit(
  options: Partial<SlotSessionsOptions> = {},
  { hasForeignMount = false, isInitReadable = false }: ContainerOptions = {},
): Promise<SlotKit> {
  const [slot, session] = await Promise.all([slotLauncher(), sessionLauncher()]);
  const kit = await mkdtemp('/var/tmp/pilothouse-slot-');
  await chmod(kit, 0o755);
  for (const name of ['slot-0', 'foreign']) await mkdir(join(kit, name));
  await chmod(join(kit, 'slot-0'), 0o777);
  const account = `desktop:x:${UID}:${UID}::/tmp/desktop/home:/bin/sh\n`;
  await writeFile(join(kit, 'passwd'), (await readFile('/etc/passwd', 'utf8')) + account);
  // As in the image: programs cannot read a process whose executable they cannot read.
  const [node, tini] = [join(kit, 'node'), join(kit, 'tini')];
  await copyFile(process.execPath, node);
  await copyFile(INIT_PROGRAM, tini);
  await chmod(node, 0o711);
  await chmod(tini, isInitReadable ? 0o755 : 0o711);
  let output = '';
  let container: ChildProcess | null = null;
  const start = () => {
    const namespaces = ['--pid', '--fork', '--kill-child', '--mount', '--ipc', '--mount-proc'];
    const command = [
      node,
      '--disable-sigusr1',
      '--no-warnings',
      slot.entry,
      '--session',
      session.entry,
      join(kit, 'slot-0/worker.sock'),
      '/tmp',
      '/dev/shm',
    ];
    container = spawn('unshare', [...namespaces, 'sh', '-c', CONTAINER, 'sh', REPOSITORY, kit, ...command], {
      env: { PATH: process.env.PATH, PILOTHOUSE_SLOT_KEY: KEY, FOREIGN_MOUNT: hasForeignMount ? '1' : '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [container.stdout, container.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    container.once('exit', () => {
      if (result.restarts) start();
    });
  };
  /** Kills process 1. A change of the user has cleared its signal for the death of `unshare`. */
  const kill = async () => {
    const pid = container?.pid ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const first = Number(children.trim().split(' ')[0]);
    // 0 would be the process group of this process.
    if (!(first > 1)) throw new Error('The container has no process');
    process.kill(first, 'SIGKILL');
  };
  const log = { info: () => undefined, warn: () => undefined };
  const sessions = new SlotSessions({
    ...{ folder: kit, slots: 1, key: KEY, sessionFolder: '/tmp/desktop', environment: {}, firstUid: UID, log },
    ...options,
  });
  const result: SlotKit = {
    sessions,
    restarts: true,
    output: () => output,
    killSupervisor: () => kill(),
    close: async () => {
      result.restarts = false;
      await sessions.close();
      if (container && container.exitCode === null && container.signalCode === null) {
        const exited = once(container, 'exit');
        await kill().catch(() => container?.kill('SIGKILL'));
        await exited;
      }
      await rm(kit, { recursive: true, force: true });
    },
  };
  start();
  return result;
}
