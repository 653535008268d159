import type { EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import { poll } from '@pilothouse/core/time/deadlines';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeAuthority } from '../process/x-authority.ts';
import type { SessionIsolation } from '../process/session-isolation.ts';
import type { SessionLauncher } from '../session/machine-session.ts';
import { contextWithin, startDesktopKit, type DesktopKit } from './desktop.fixture.ts';
import type { ProbeHits, ProbeTargets } from './isolation-probe.ts';

/** Everything that a probe can reach without isolation. */
export const probeKinds = [
  'process of the worker',
  'token in an environment',
  'descriptors',
  'memory, to read',
  'memory, to write',
  'root folder',
  'signal',
  'ptrace',
  'memory of the session process',
  'file of the worker',
  'home of another session',
  'X authority of another session',
  'file of an earlier session',
  'D-Bus of another session',
  'display',
  'loopback of the machine',
  'loopback of another session',
  'shared memory',
  'message queue',
  'kernel key',
  'abstract socket',
  'names of sockets',
  'watched home of another session',
  'survivor',
] as const;

/** Stands in for a worker: it has a token, an open file, a port, and an abstract socket with the name of its argument. */
const WORKER = `
const { createServer } = require('node:net');
const server = createServer((socket) => socket.destroy());
createServer((socket) => socket.destroy()).listen('\\0' + process.argv[1], () =>
  server.listen(0, '127.0.0.1', () => console.log(server.address().port)));
`;

/**
 * Creates a message queue and a key of the user with the name of its argument, and removes them when its input ends.
 */
const KERNEL_OBJECTS = `
import ctypes, os, platform, sys
name = sys.argv[1].encode()
libc, librt = ctypes.CDLL(None), ctypes.CDLL('librt.so.1')
arm = platform.machine() == 'aarch64'
queue = librt.mq_open(b'/' + name, os.O_CREAT | os.O_RDWR, 0o666, None)
key = libc.syscall(217 if arm else 248, b'user', name, b'secret', 6, -4)
print(queue, key, flush=True)
sys.stdin.read()
librt.mq_unlink(b'/' + name)
libc.syscall(219 if arm else 250, 9, key, -4)
`;

/** Creates a shared memory segment with the key of its argument, and removes it when its input ends. */
const SHARED_MEMORY = `
import ctypes, sys
libc = ctypes.CDLL(None)
segment = libc.shmget(int(sys.argv[1]), 4096, 0o1000 | 0o666)
print(segment, flush=True)
sys.stdin.read()
libc.shmctl(segment, 0, None)
`;

const PROBE_FILE = join(import.meta.dirname, 'isolation-probe.ts');

export interface IsolationSuite {
  /** Default: as much as this machine allows. */
  readonly isolation?: SessionIsolation;
  /** Default: bundles the session process, which writes into the repository. */
  readonly launcher?: SessionLauncher;
}

/**
 * Opens two sessions beside a worker, lets a program of an earlier session leave a process, and runs the probe in one of them.
 * @throws Error if the probe does not end
 */
export async function runIsolationSuite({ isolation, launcher }: IsolationSuite = {}): Promise<ProbeHits> {
  const name = `isolation-${randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-isolation-'));
  await chmod(folder, 0o755);
  const children: ChildProcess[] = [];
  const kits: DesktopKit[] = [];
  try {
    const targetFile = join(folder, 'targets.json');
    await writeFile(targetFile, '{}');
    await writeFile(join(folder, 'export.jsonl'), 'exported');
    const start: Start = async (program, args, env = {}, descriptor = 1) => {
      const stdio: StdioOptions = ['pipe', 'pipe', 'ignore', 'pipe'];
      const child = spawn(program, args, { stdio, env: { PATH: '/usr/bin:/bin', ...env } });
      children.push(child);
      const [line] = (await once(child.stdio[descriptor] as Readable, 'data')) as [Buffer];
      return String(line).trim();
    };
    const key = Number.parseInt(name.slice(-7), 16);
    const [workerPort, display] = await Promise.all([
      start(process.execPath, ['-e', WORKER, `${name}-worker`], { PILOTHOUSE_FLEET_TOKEN: `${name}-token` }),
      startDisplay(folder, start),
      start('/usr/bin/python3', ['-c', SHARED_MEMORY, String(key)]),
      start('/usr/bin/python3', ['-c', KERNEL_OBJECTS, name]),
    ]);
    const ports: number[] = [];
    const options = { ...(isolation && { isolation }), ...(launcher && { launcher }) };
    const neighbour = await startDesktopKit({ ...options, egress: egressTo(ports) });
    kits.push(neighbour);
    await neighbour.open();
    const sessions = (await readdir(neighbour.folder)).map((session) => join(neighbour.folder, session));
    const commandOf = (...args: string[]) => ['xterm', '-e', process.execPath, PROBE_FILE, ...args];
    const commands = {
      survive: commandOf('survive', `${name}-survivor`),
      probe: commandOf('probe', targetFile, 'probe.json'),
    };
    const kit = await startDesktopKit({ ...options, egress: egressTo([]), commands });
    kits.push(kit);
    const hasSurvivor = await leaveProcess(kit, `${name}-survivor`);
    const targets: ProbeTargets = {
      processName: `${name}-worker`,
      sessionProcessName: 'session-process.js',
      token: `${name}-token`,
      survivorName: `${name}-survivor`,
      files: {
        'file of the worker': [join(folder, 'export.jsonl')],
        'home of another session': sessions.map((session) => join(session, 'home/.config/gtk-4.0/settings.ini')),
        'X authority of another session': [
          ...sessions.map((session) => join(session, 'runtime/authority')),
          display.authority,
        ],
        'file of an earlier session': leftFilesOf(`${name}-survivor`),
      },
      sockets: {
        'D-Bus of another session': sessions.map((session) => join(session, 'runtime/bus')),
        'abstract socket': [`\0${name}-worker`],
      },
      ports: { 'loopback of the machine': [Number(workerPort)], 'loopback of another session': ports },
      displays: [display, ...(await displaysOf(neighbour))],
      sharedMemoryKey: key,
      kernelName: name,
      watched: { 'watched home of another session': sessions.map((session) => join(session, 'home')) },
    };
    await writeFile(targetFile, JSON.stringify(targets));
    const hits = await runProbe(kit);
    return hasSurvivor ? { ...hits, survivor: [...(hits.survivor ?? []), 'found by the worker'] } : hits;
  } finally {
    for (const kit of kits) await kit.close();
    for (const pid of await pidsNamed(`: ${name}-survivor`)) process.kill(pid, 'SIGKILL');
    for (const child of children) {
      // The programs with objects of the kernel remove them.
      child.stdin?.end();
      if (!child.spawnfile.includes('python')) child.kill('SIGKILL');
    }
    for (const path of [folder, ...leftFilesOf(`${name}-survivor`)]) await rm(path, { recursive: true, force: true });
  }
}

/** Starts a program. @returns the first line of its output, or of another descriptor */
type Start = (program: string, args: string[], env?: Record<string, string>, descriptor?: number) => Promise<string>;

/** Proxies that forward nothing: sessions with a proxy have a network of their own. @param ports gets the port of each */
const egressTo = (ports: number[]): EgressProxyFactory => ({
  open: async () => {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    ports.push(port);
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    return { url: `http://127.0.0.1:${port}`, bind: () => undefined, close };
  },
});

/** Starts an X server as that of a browser worker. */
async function startDisplay(folder: string, start: Start): Promise<{ display: string; authority: string }> {
  const authority = join(folder, 'authority');
  await writeAuthority(authority, randomBytes(16));
  const args = ['-displayfd', '3', '-screen', '0', '64x64x24', '-nolisten', 'tcp', '-noreset', '-auth', authority];
  return { display: `:${await start('Xvfb', args, {}, 3)}`, authority };
}

/** Displays of the sessions of a kit. */
async function displaysOf(kit: DesktopKit): Promise<{ display: string; authority: string }[]> {
  const servers = await Promise.all(
    (await kit.pidsOf('Xvfb')).map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')),
  );
  return servers.map((words) => ({ display: words[1] ?? '', authority: words[words.indexOf('-auth') + 1] ?? '' }));
}

/** Files that `isolation-probe.ts survive` writes. */
const leftFilesOf = (survivor: string): string[] => [`/tmp/${survivor}`, `/dev/shm/${survivor}`];

/** Opens a session whose program leaves a process and files, and closes it. @returns true if the process still exists */
async function leaveProcess(kit: DesktopKit, name: string): Promise<boolean> {
  const surface = await kit.open();
  await surface.act({ action: 'openApp', app: 'survive' }, contextWithin(10)).catch(() => undefined);
  const started = await poll(async () => (await pidsNamed(`: ${name}`))[0], contextWithin(20));
  if (started === undefined) throw new Error('The program of the first session did not start its survivor');
  await surface.close();
  return (await pidsNamed(`: ${name}`)).length > 0;
}

async function runProbe(kit: DesktopKit): Promise<ProbeHits> {
  const surface = await kit.open();
  await surface.act({ action: 'openApp', app: 'probe' }, contextWithin(10)).catch(() => undefined);
  const text = await poll(async () => {
    const sessions = await readdir(kit.folder);
    const results = sessions.map((session) => join(kit.folder, session, 'home/probe.json'));
    const texts = await Promise.all(results.map((path) => readFile(path, 'utf8').catch(() => undefined)));
    return texts.find((content) => content !== undefined);
  }, contextWithin(60));
  await surface.close();
  if (text === undefined) throw new Error('The probe wrote no result');
  return JSON.parse(text) as ProbeHits;
}

/** Ids of processes of the machine whose command line contains a text. */
async function pidsNamed(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return pids.filter((_, index) => lines[index]?.includes(text));
}
