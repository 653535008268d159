import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { note, ok, type Finding } from './finding.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** User of the probe if this process is root: workers of `up` do not run as root. No file belongs to it. */
const ORDINARY_ID = 65_534;

/** Namespaces of a desktop session, and the mounts that a kernel refuses first. */
const PROBE = [
  ...['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount', '--ipc', '--net', '--'],
  ...['sh', '-c', 'mount -t proc proc /proc && mount -t tmpfs tmpfs /tmp'],
];

/** Settings of the kernel that forbid user namespaces, with the value that does. */
const FORBIDDING_SETTINGS = [
  { name: 'kernel.unprivileged_userns_clone', forbids: '0', fix: '1' },
  { name: 'kernel.apparmor_restrict_unprivileged_userns', forbids: '1', fix: '0' },
  { name: 'user.max_user_namespaces', forbids: '0', fix: '10000' },
] as const;

/** System calls of the check. */
export interface BoundaryProbe {
  /** @returns null, or why namespaces cannot be created */
  failure(): string | null;
  /** Value of a kernel setting; null: the kernel does not have it. */
  setting(name: string): string | null;
}

const systemProbe: BoundaryProbe = {
  failure: () => {
    const [program = '', ...args] = PROBE;
    const isRoot = process.getuid?.() === 0;
    const { status, stderr, error } = spawnSync(program, args, {
      encoding: 'utf8',
      timeout: PROBE_TIMEOUT_MS,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      ...(isRoot && { uid: ORDINARY_ID, gid: ORDINARY_ID }),
    });
    if (status === 0) return null;
    return error?.message ?? (stderr.trim().split('\n')[0] || `unshare ended with ${status}`);
  },
  setting: (name) => {
    try {
      return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim();
    } catch {
      return null;
    }
  },
};

/** Checks what separates the desktop runs of this machine. */
export function checkBoundary(probe: BoundaryProbe = systemProbe): Finding {
  const failure = probe.failure();
  if (failure === null) return ok('desktop runs', 'separate processes, files and network (user namespaces)');
  const cause = FORBIDDING_SETTINGS.find(({ name, forbids }) => probe.setting(name) === forbids);
  return note(
    'desktop runs',
    `not separated from their worker, which ends after each run: ${failure}`,
    cause
      ? `Allow user namespaces: sysctl -w ${cause.name}=${cause.fix}`
      : 'Allow user namespaces: see docs/guides/desktop-isolation.md.',
  );
}
