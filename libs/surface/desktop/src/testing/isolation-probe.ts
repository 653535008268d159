/**
 * Tries to reach what a program of a desktop session must not reach, and prints what it reached. It uses only Node, and `python3` for ptrace.
 * Usage, in a session: `node isolation-probe.ts probe [TARGETS.json [RESULT.json]]`, or `node isolation-probe.ts survive NAME`, which leaves a
 * process behind. Without a file, the targets are a worker in the same container.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Everything that a probe looks for. */
export interface ProbeTargets {
  /** Text in the command line of processes outside the session. */
  readonly processName: string;
  /** Text in the command line of the process that serves this session. */
  readonly sessionProcessName: string;
  /** Text in the environment of such a process. */
  readonly token: string;
  /** Text in the command line of a process that an earlier session left. */
  readonly survivorName: string;
  /** Files outside the session, by the kind of hit. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Paths of Unix sockets outside the session, by the kind of hit. */
  readonly sockets: Readonly<Record<string, readonly string[]>>;
  /** TCP ports on the loopback interface of the machine or of other sessions, by the kind of hit. */
  readonly ports: Readonly<Record<string, readonly number[]>>;
  /** Displays outside the session, with their authority files. */
  readonly displays: readonly { readonly display: string; readonly authority: string }[];
  /** Key of a shared memory segment; null: none. */
  readonly sharedMemoryKey: number | null;
  /** Name of a POSIX message queue without its slash, and of a key of the worker's user; null: none. */
  readonly kernelName: string | null;
  /** Folders outside the session, by the kind of hit when their changes can be watched. */
  readonly watched: Readonly<Record<string, readonly string[]>>;
}

/** Details of everything that was reached, by kind. A kind without a hit is absent. */
export type ProbeHits = Readonly<Record<string, readonly string[]>>;

/** Targets in a pod of the chart. */
export const podTargets: ProbeTargets = {
  processName: 'worker/main.js',
  sessionProcessName: 'desktop-session.js',
  token: 'PILOTHOUSE_FLEET_TOKEN=',
  survivorName: 'isolation-survivor',
  files: {
    'service account': ['/var/run/secrets/kubernetes.io/serviceaccount/token'],
  },
  sockets: {},
  ports: {},
  displays: [],
  sharedMemoryKey: null,
  kernelName: null,
  watched: {},
};

const CONNECT_TIMEOUT_MS = 500;

/** ptrace(2): attach and detach. Prints 0 if the process could be attached to. */
const ATTACH = `
import ctypes, sys
libc, pid = ctypes.CDLL(None), int(sys.argv[1])
attached = libc.ptrace(16, pid, None, None)
if attached == 0:
    libc.waitpid(pid, None, 0x40000000)
    libc.ptrace(17, pid, None, None)
print(attached)
`;

/** Opens a POSIX message queue, and finds a key (keyctl(2) by its number on x86-64 and arm64). Prints the kinds of hits. */
const KERNEL_OBJECTS = `
import ctypes, os, platform, sys
name = sys.argv[1].encode()
if ctypes.CDLL('librt.so.1').mq_open(b'/' + name, os.O_RDONLY) >= 0: print('message queue')
keyctl = 219 if platform.machine() == 'aarch64' else 250
key = ctypes.CDLL(None).syscall(keyctl, 10, -3, b'user', name, 0)
if key > 0 and ctypes.CDLL(None).syscall(keyctl, 11, key, None, 0) > 0: print('kernel key')
`;

/** inotify(7). Prints 1 if the path can be watched. */
const WATCH = `
import ctypes, sys
libc = ctypes.CDLL(None)
print(int(libc.inotify_add_watch(libc.inotify_init(), sys.argv[1].encode(), 0xfff) >= 0))
`;

const PYTHON = '/usr/bin/python3';

/** Output of a Python program; empty without Python. */
const python = (program: string, argument: string): string =>
  existsSync(PYTHON) ? execFileSync(PYTHON, ['-c', program, argument], { encoding: 'utf8' }).trim() : '';

const succeeds = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** True if a file can be opened. */
export const opens = (path: string, flags: string): boolean => succeeds(() => closeSync(openSync(path, flags)));

function probeProcesses(targets: ProbeTargets, hit: (kind: string, detail: string) => void): void {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const pid of pids) {
    const commandLine = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    if (commandLine.includes(targets.survivorName)) hit('survivor', commandLine);
    if (read(`/proc/${pid}/environ`).includes(targets.token)) hit('token in an environment', commandLine);
    if (commandLine.includes(targets.sessionProcessName) && opens(`/proc/${pid}/mem`, 'r'))
      hit('memory of the session process', pid);
    if (!commandLine.includes(targets.processName)) continue;
    hit('process of the worker', commandLine);
    if (succeeds(() => readdirSync(`/proc/${pid}/fd`))) hit('descriptors', pid);
    if (opens(`/proc/${pid}/mem`, 'r')) hit('memory, to read', pid);
    if (opens(`/proc/${pid}/mem`, 'r+')) hit('memory, to write', pid);
    if (succeeds(() => readdirSync(`/proc/${pid}/root/`))) hit('root folder', pid);
    if (succeeds(() => process.kill(Number(pid), 0))) hit('signal', pid);
    if (python(ATTACH, pid) === '0') hit('ptrace', pid);
  }
}

/** Connects and sends a request. @returns the first bytes of the answer, empty without one; null: not connected */
export async function ask(address: NetConnectOpts, request: Buffer | null): Promise<Buffer | null> {
  const socket = connect(address);
  try {
    return await new Promise<Buffer | null>((resolve) => {
      socket.once('error', () => resolve(null));
      socket.once('data', resolve);
      socket.once('connect', () => (request ? socket.write(request) : resolve(Buffer.alloc(0))));
      void delay(CONNECT_TIMEOUT_MS).then(() => resolve(null));
    });
  } finally {
    socket.destroy();
  }
}

/** First message of an X client, with the last 16 bytes of an authority file as cookie. */
export function xSetup(authority: string): Buffer {
  const cookie =
    existsSync(authority) && opens(authority, 'r') ? readFileSync(authority).subarray(-16) : Buffer.alloc(0);
  const name = Buffer.from(cookie.length > 0 ? 'MIT-MAGIC-COOKIE-1' : '');
  const head = Buffer.alloc(12);
  head.write('l');
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(cookie.length, 8);
  return Buffer.concat([head, name, Buffer.alloc((4 - (name.length % 4)) % 4), cookie]);
}

export async function probe(targets: ProbeTargets): Promise<ProbeHits> {
  const hits: Record<string, string[]> = {};
  const hit = (kind: string, detail: string) => {
    (hits[kind] ??= []).push(detail);
  };
  probeProcesses(targets, hit);
  for (const [kind, paths] of Object.entries(targets.files))
    for (const path of paths) if (opens(path, 'r')) hit(kind, path);
  for (const [kind, paths] of Object.entries(targets.sockets))
    for (const path of paths) if (await ask({ path }, null)) hit(kind, path);
  for (const [kind, ports] of Object.entries(targets.ports))
    for (const port of ports) if (await ask({ host: '127.0.0.1', port }, null)) hit(kind, String(port));
  for (const { display, authority } of targets.displays) {
    const path = `/tmp/.X11-unix/X${display.slice(1)}`;
    for (const address of [path, `\0${path}`]) {
      const answer = await ask({ path: address }, xSetup(authority));
      if (answer?.[0] === 1) hit('display', display);
    }
  }
  const socketTable = read('/proc/net/unix');
  for (const path of Object.values(targets.sockets).flat())
    if (socketTable.includes(path.replaceAll('\0', '@'))) hit('names of sockets', path);
  if (targets.kernelName !== null)
    for (const kind of python(KERNEL_OBJECTS, targets.kernelName).split('\n')) if (kind) hit(kind, targets.kernelName);
  for (const [kind, paths] of Object.entries(targets.watched))
    for (const path of paths) if (python(WATCH, path) === '1') hit(kind, path);
  const segments = read('/proc/sysvipc/shm').split('\n');
  if (segments.some((line) => Number(line.trim().split(/ +/)[0] || Number.NaN) === targets.sharedMemoryKey))
    hit('shared memory', String(targets.sharedMemoryKey));
  return hits;
}

/** Starts a process with an empty environment, outside the process group and the folders of the session, and leaves files. */
function survive(name: string): void {
  for (const folder of ['/tmp', '/dev/shm']) writeFileSync(`${folder}/${name}`, 'left');
  const script = `(exec /bin/sh -c 'sleep 600; : ${name}') & exit`;
  spawn('/usr/bin/setsid', ['/bin/sh', '-c', script], { env: {}, cwd: '/', detached: true, stdio: 'ignore' }).unref();
}

if (process.argv[1] === import.meta.filename) {
  const [mode, first, result] = process.argv.slice(2);
  if (mode === 'survive' && first !== undefined && /^[\w-]+$/.test(first)) survive(first);
  else if (mode === 'probe') {
    const targets = first === undefined ? podTargets : (JSON.parse(readFileSync(first, 'utf8')) as ProbeTargets);
    const text = `${JSON.stringify(await probe(targets), null, 2)}\n`;
    if (result === undefined) process.stdout.write(text);
    else {
      // The reader of the file never sees a part of it.
      writeFileSync(`${result}.part`, text);
      renameSync(`${result}.part`, result);
    }
  } else {
    process.stderr.write('node isolation-probe.ts probe [TARGETS.json [RESULT.json]] | survive NAME\n');
    process.exitCode = 2;
  }
}
