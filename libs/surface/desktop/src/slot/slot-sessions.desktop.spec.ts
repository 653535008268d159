import { poll } from '@pilothouse/core/time/deadlines';
import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DesktopHost } from '../desktop.host.ts';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin } from '../testing/desktop.fixture.ts';
import { startSlotKit, type SlotKit } from '../testing/slot.fixture.ts';

let kit: SlotKit;
let host: DesktopHost;
let surface: DesktopSurface;
let folder: string;
let files: SurfaceFile[];
let outputCount = 0;
const act = actor(() => surface);

const start = async (options: Parameters<typeof startSlotKit>[0] = {}) => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-run-'));
  kit = await startSlotKit(options);
  host = new DesktopHost({ sessions: kit.sessions, environment: {} });
};

const open = async () => {
  files = [];
  surface = await host.open({ folder, onFile: (file) => files.push(file) }, contextWithin(60));
};

/** Runs a command in a terminal. @returns what it wrote, from a file that the worker fetches over the channel */
async function outputOf(command: string): Promise<string> {
  const name = `output-${++outputCount}`;
  await act({ action: 'openApp', app: 'debian-xterm' });
  await act({ action: 'type', text: `(${command}) > ${name}.tmp 2>&1; mv ${name}.tmp ${name}.txt; exit` });
  await act({ action: 'press', key: 'Enter' });
  return collect(`${name}.txt`);
}

/** Content of a file of the home folder, which the worker fetches over the channel. */
async function collect(path: string): Promise<string> {
  await act({ action: 'collectFile', path });
  return readFile(files.at(-1)?.path ?? '', 'utf8');
}

afterEach(async () => {
  await host.close();
  await kit.close();
  await rm(folder, { recursive: true });
}, 60_000);

test('two sessions in one slot: work arrives, files pass both ways, and nothing of the first survives', async () => {
  await start();
  await open();
  const given = join(folder, 'given.txt');
  await writeFile(given, 'from the worker');
  await act({ action: 'putFile', file: given, path: 'given.txt' });
  await act({ action: 'openApp', app: 'org.xfce.mousepad', args: ['given.txt'] });
  await act({ action: 'waitFor', condition: { title: 'given.txt' } });
  await act({ action: 'press', key: 'Control+End' });
  await act({ action: 'type', text: ' and from the app' });
  await act({ action: 'press', key: 'Control+s' });
  const saved = await poll(async () => {
    const text = await collect('given.txt');
    return text.includes('app') ? text : undefined;
  }, contextWithin(20));
  expect(saved).toContain('from the worker and from the app');
  // A program without the environment of the session, in a session of its own, and files in every writable folder.
  const survivor = 'env -i setsid sh -c "sh -c \\"sleep 98765\\" & exec sleep 98766" &';
  const traces = 'mkdir -m 0 /tmp/left; echo x > /dev/shm/left; echo x > /tmp/.left; (umask 777; echo x > ~/left)';
  expect(await outputOf(`${survivor} ${traces}; ps -eo args`)).toMatch(/sleep 98766/);
  await surface.close();

  await open();
  const seen = await outputOf('ps -eo args; find /tmp /dev/shm -user 10101');
  expect(seen).toContain('slot-process');
  expect(seen).not.toMatch(/left|98765|98766|given/);
}, 180_000);

test('programs read neither the supervisor nor its key, and cannot take its place', async () => {
  await start();
  await open();
  const probes = [
    'cat /proc/1/environ',
    'ls /proc/1/fd',
    'head -c 1 /proc/1/mem',
    'kill -STOP 1',
    'kill -KILL 1',
    'kill -USR1 1',
    'for folder in /var/tmp/pilothouse-slot-*/slot-0; do touch $folder/worker.sock; ls -A $folder; done',
    'grep -i 240D /proc/net/tcp',
    // The supervisor, the init process of the session, and the process that serves it.
    'for id in $(pgrep -f session-process); do echo process $id; head -c 1 /proc/$id/mem; ls /proc/$id/fd; done',
  ];
  const seen = await outputOf(probes.join('; '));
  expect(seen.match(/^process \d+$/gm)).toHaveLength(3);
  expect(seen.match(/Permission denied/g)).toHaveLength(3 + 2 * 3);
  // Port 9229 of a debugger.
  expect(seen).not.toMatch(/key-of-the-slots|^worker\.sock$|240D/m);
  expect(seen).toContain('Read-only file system');
  expect(surface.lossSignal.aborted).toBe(false);
}, 120_000);

test('a killed supervisor is a lost surface, and the next session waits for the restart', async () => {
  await start();
  await open();
  expect(kit.sessions.slotLoss.count()).toBe(0);
  await kit.killSupervisor();
  if (!surface.lossSignal.aborted) await once(surface.lossSignal, 'abort');
  expect(surface.lossSignal.reason).toMatchObject({ code: 'SURFACE_LOST' });
  await surface.close();
  await open();
  expect(await surface.anchors(contextWithin(10))).toEqual({ url: 'about:desktop', title: '' });
}, 120_000);

test('a slot that does not come back is counted as lost, and no session starts in it', async () => {
  await start({ readyTimeoutMs: 1_000 });
  const isUp = () => (kit.sessions.slotLoss.count() === 0 ? true : undefined);
  expect(await poll(async () => isUp(), contextWithin(30))).toBe(true);
  kit.restarts = false;
  await kit.killSupervisor();
  expect(await poll(async () => (isUp() ? undefined : true), contextWithin(10))).toBe(true);
  await expect(open()).rejects.toMatchObject({
    code: 'SURFACE_UNAVAILABLE',
    message: expect.stringContaining('No slot of the pod was ready within 1 s'),
  });
}, 60_000);

test('ended programs are collected, and the supervisor keeps its limits, priority and processors', async () => {
  await start();
  const attributes =
    "cat /proc/1/limits; grep Cpus_allowed: /proc/1/task/*/status; awk '{ print $19 }' /proc/1/task/*/stat; ionice -p 1";
  await open();
  const expected = await outputOf(attributes);
  const changes = 'prlimit --pid 1 --nofile=256:; taskset -p -c 0 1; ionice -c idle -p 1; env -i setsid sleep 9 &';
  const changed = await outputOf(`${changes} ${attributes}`);
  expect(changed).toMatch(/Max open files +256 /);
  expect(changed).toContain('new affinity list: 0\n');
  expect(changed).toMatch(/\nidle\n$/);
  await surface.close();
  await open();
  expect(await outputOf(`${attributes}; ps -eo stat,args | grep '^Z'`)).toBe(expected);
  expect(kit.output()).not.toContain('slot failed');
}, 180_000);

test('a lowered priority, which no user can raise again, ends the container', async () => {
  await start();
  await open();
  await outputOf('renice -n 19 -p 1');
  await surface.close();
  await open();
  expect(await outputOf("awk '{ print $19 }' /proc/1/stat")).toBe(`${getPriority()}\n`);
  expect(kit.output()).toContain(`thread nice ${getPriority()} to ${getPriority()}, 19`);
}, 180_000);

test('a slot whose programs could take the channel of a session does not start, and says what to do', async () => {
  kit = await startSlotKit({ readyTimeoutMs: 1 }, { isInitReadable: true });
  const find = async () => /Programs could take the channel [^"\n]* set the mode of \S+ to 0711/.exec(kit.output());
  expect(await poll(async () => (await find()) ?? undefined, contextWithin(30))).toBeTruthy();
  kit.restarts = false;
  host = new DesktopHost({ sessions: kit.sessions, environment: {} });
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-run-'));
}, 60_000);

test('a slot that can write elsewhere does not start, and says what to do', async () => {
  kit = await startSlotKit({ readyTimeoutMs: 1 }, { hasForeignMount: true });
  const find = async () =>
    /can write to (\S+), which is not one of its folders [^"]* mount it with readOnly/.exec(kit.output());
  const found = await poll(async () => (await find()) ?? undefined, contextWithin(30));
  expect(found?.[1]).toMatch(/foreign$/);
  expect(kit.sessions.slotLoss.count()).toBe(1);
  kit.restarts = false;
  host = new DesktopHost({ sessions: kit.sessions, environment: {} });
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-run-'));
}, 60_000);
