/**
 * The probe of a pod: `isolation-probe.ts`, and everything that the containers of a pod share. Usage, in a slot:
 * `node pod-probe.ts TARGETS.json RESULT.json`. It uses only Node, and needs `isolation-probe.ts` beside it.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, opens, podTargets, probe, xSetup, type ProbeHits } from './isolation-probe.ts';

/** Input of the probe. */
export interface PodTargets {
  /** Name of the process that an earlier run left, and of its files. */
  readonly survivorName: string;
  /** Begin of the names of files that each session makes. */
  readonly markerName: string;
  /** Servers that a run must not reach, as `host:port`. */
  readonly servers: readonly string[];
}

/** Output of the probe. */
export interface PodProbeResult {
  readonly hits: ProbeHits;
  /** Number of objects that the probe tried, by kind: none may be 0. */
  readonly tried: Readonly<Record<string, number>>;
}

const FOLDERS = ['/home/desktop', '/tmp', '/dev/shm', '/run/pilothouse', '/var/tmp'];
const CONNECT_TIMEOUT_MS = 1_500;

const hits: Record<string, string[]> = {};
const tried: Record<string, number> = {};
const hit = (kind: string, detail: string) => void (hits[kind] ??= []).push(detail);
const attempt = (kind: string) => void (tried[kind] = (tried[kind] ?? 0) + 1);

/** Result of a function; undefined after an error. */
function tryTo<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const linesOf = (path: string): string[][] =>
  (tryTo(() => readFileSync(path, 'latin1')) ?? '')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.trim().split(/ +/));

/** Process 1 of this container, which has the key of the slot. */
function probeSupervisor(): void {
  for (const [file, flags] of [
    ['environ', 'r'],
    ['mem', 'r'],
    ['mem', 'r+'],
    ['maps', 'r'],
  ] as const) {
    attempt('memory of the supervisor');
    if (opens(`/proc/1/${file}`, flags)) hit('memory of the supervisor', `${file} ${flags}`);
  }
  if (tryTo(() => readdirSync('/proc/1/fd'))) hit('memory of the supervisor', 'fd');
}

/** Attributes of process 1 that an earlier run has changed. */
function probeAttributes(): void {
  attempt('attributes of the supervisor');
  const limits = tryTo(() => readFileSync('/proc/1/limits', 'latin1')) ?? '';
  // Node raises the soft limit to the hard one.
  const [, soft, hard] = /^Max open files +(\d+) +(\d+)/m.exec(limits) ?? [];
  if (soft !== hard) hit('attributes of the supervisor', `open files ${soft}:${hard}`);
  const priority = execFileSync('ionice', ['-p', '1'], { encoding: 'utf8' }).trim();
  if (priority.startsWith('idle')) hit('attributes of the supervisor', priority);
  const threads = readdirSync('/proc/1/task').map((thread) => readFileSync(`/proc/1/task/${thread}/status`, 'latin1'));
  const processors = new Set(threads.map((status) => /^Cpus_allowed_list:\t(.*)$/m.exec(status)?.[1]));
  if (processors.size > 1) hit('attributes of the supervisor', `processors ${[...processors].join(', ')}`);
}

/** Files of other sessions in all folders that programs know, also through other processes. */
function probeFiles(markerName: string, ownMarker: string): void {
  const roots = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `/proc/${pid}/root`);
  for (const folder of ['', ...roots].flatMap((root) => FOLDERS.map((path) => root + path))) {
    attempt('home of another session');
    for (const name of tryTo(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? []) {
      const base = name.split('/').at(-1) ?? '';
      if (base.startsWith(markerName) && base !== ownMarker) hit('home of another session', join(folder, name));
      if (base === 'worker.sock') hit('socket of the worker', join(folder, name));
    }
  }
}

/** Inodes of the sockets of all processes that this one can look into: those of its own session. */
function ownSockets(): Set<string> {
  const links = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => (tryTo(() => readdirSync(`/proc/${pid}/fd`)) ?? []).map((fd) => `/proc/${pid}/fd/${fd}`))
    .map((path) => tryTo(() => readlinkSync(path)) ?? '');
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** Displays and buses at abstract addresses, which the containers of a pod share. */
async function probeAbstractSockets(): Promise<void> {
  const own = ownSockets();
  for (const [, , , flags, , , inode = '', name = ''] of linesOf('/proc/net/unix')) {
    // Only sockets that listen.
    if (!name.startsWith('@') || flags !== '00010000' || own.has(inode)) continue;
    const path = `\0${name.slice(1)}`;
    const isDisplay = name.includes('X11-unix');
    const kind = isDisplay ? 'display' : 'D-Bus of another session';
    attempt(kind);
    const login = Buffer.from(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString('hex')}\r\n`);
    const answer = await ask({ path }, isDisplay ? xSetup(process.env.XAUTHORITY ?? '') : login);
    if (isDisplay ? answer?.[0] === 1 : answer?.toString('latin1').startsWith('OK')) hit(kind, name);
  }
}

/** Ports of the pod that answer a request, besides the proxy of this session. */
async function probeLoopback(): Promise<void> {
  const proxy = new URL(process.env.http_proxy ?? process.env.HTTP_PROXY ?? 'http://none').port;
  const listeners = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(linesOf).filter(([, , , state]) => state === '0A');
  const ports = new Set(listeners.map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16)));
  for (const port of ports) {
    attempt('loopback of the pod');
    if (String(port) === proxy) continue;
    const request = Buffer.from('GET http://127.0.0.1/ HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const answer = await ask({ host: '127.0.0.1', port }, request);
    if (answer && answer.length > 0) hit('loopback of the pod', `${port}: ${answer.toString('latin1').slice(0, 60)}`);
  }
}

/** Shared memory of other users that everyone may read or write. */
function probeSharedMemory(): void {
  attempt('shared memory');
  for (const [, id = '', permissions = '', , , , , uid] of linesOf('/proc/sysvipc/shm'))
    if (uid !== String(process.getuid?.()) && (Number.parseInt(permissions, 8) & 6) !== 0) hit('shared memory', id);
}

async function probeServers(servers: readonly string[]): Promise<void> {
  for (const server of servers) {
    attempt('network');
    const [host, port] = server.split(':');
    const socket = connect({ host, port: Number(port) });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      void delay(CONNECT_TIMEOUT_MS).then(() => resolve(false));
    });
    socket.destroy();
    if (isOpen) hit('network', server);
  }
}

/** Files that the last session left. */
function probeRemains(survivorName: string): void {
  for (const folder of FOLDERS) {
    attempt('file of an earlier session');
    for (const name of tryTo(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? [])
      if (name.includes(survivorName)) hit('file of an earlier session', join(folder, name));
  }
}

const [targetFile = '', result = '', ownMarker = ''] = process.argv.slice(2);
const { survivorName, markerName, servers } = JSON.parse(readFileSync(targetFile, 'utf8')) as PodTargets;
for (const [kind, found] of Object.entries(await probe({ ...podTargets, survivorName })))
  for (const detail of found) hit(kind, detail);
probeSupervisor();
probeAttributes();
probeFiles(markerName, ownMarker);
await probeAbstractSockets();
await probeLoopback();
probeSharedMemory();
await probeServers(servers);
probeRemains(survivorName);
writeFileSync(`${result}.part`, JSON.stringify({ hits, tried } satisfies PodProbeResult));
renameSync(`${result}.part`, result);
