import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Whether Chromium is started in a sandbox of its own: where it can be, always, or never. */
export type Sandbox = 'auto' | 'on' | 'off';

/** What the machine says of itself. */
export interface SandboxFacts {
  readonly isRoot: boolean;
  readonly isLinux: boolean;
  /** Whether a process may have a user namespace of its own; null when nobody could ask. */
  readonly namespaces: boolean | null;
  /** Whether a program may get more rights than who starts it (setuid); containers forbid it. */
  readonly mayGainRights: boolean;
}

/** Milliseconds for the question whether there are user namespaces; it takes some three. */
const ASKING_MS = 2000;

/**
 * Whether Chromium's sandbox works, as far as a look tells. It stands on user namespaces or on a helper that is setuid, and root
 * may not use it. A start that fails for want of it takes a second and more.
 * @returns null where only a start tells
 */
export function canUseSandbox({ isRoot, isLinux, namespaces, mayGainRights }: SandboxFacts): boolean | null {
  if (isRoot) return false;
  if (!isLinux || namespaces === null) return null;
  if (namespaces) return true;
  return mayGainRights ? null : false;
}

/** Looks at this machine. */
export async function sandboxFacts(): Promise<SandboxFacts> {
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  if (!isLinux || isRoot) return { isRoot, isLinux, namespaces: null, mayGainRights: true };
  const [namespaces, status] = await Promise.all([
    hasNamespaces(),
    readFile('/proc/self/status', 'utf8').catch(() => ''),
  ]);
  return { isRoot, isLinux, namespaces, mayGainRights: !/^NoNewPrivs:\s*1$/m.test(status) };
}

/** Makes a user namespace, as Chromium would: settings of the kernel, seccomp and AppArmor all have their say then. */
function hasNamespaces(): Promise<boolean | null> {
  return new Promise((resolve) => {
    execFile('unshare', ['--user', '--map-root-user', 'true'], { timeout: ASKING_MS, env: { PATH } }, (error) => {
      if (error === null) resolve(true);
      else resolve(typeof error.code === 'number' ? false : null);
    });
  });
}

const PATH = '/usr/local/bin:/usr/bin:/bin';
