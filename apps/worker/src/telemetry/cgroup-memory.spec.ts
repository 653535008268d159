import { existsSync } from 'node:fs';
import { readCgroupMemory } from './cgroup-memory.ts';

/** A machine with these files. */
const machine = (files: Record<string, string>) => (path: string) => files[path];

const v2 = {
  'memory.events': 'low 0\nhigh 4\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n',
  'memory.current': '314572800\n',
  'memory.stat': 'anon 1\ninactive_file 14572800\nactive_file 5\n',
  'memory.max': '536870912\n',
};
const filesIn = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

const events = { high: 4, max: 7, oom: 3, oom_kill: 2 };

test('version 2 is read at the path of the process, and in a container at the mount', () => {
  const expected = { used: 300_000_000, limit: 536_870_912, events };
  const line = '0::/kubepods/pod1/c1\n';
  expect(
    readCgroupMemory(machine({ '/proc/self/cgroup': line, ...filesIn('/sys/fs/cgroup/kubepods/pod1/c1', v2) })),
  ).toEqual(expected);
  expect(readCgroupMemory(machine({ '/proc/self/cgroup': '0::/\n', ...filesIn('/sys/fs/cgroup', v2) }))).toEqual(
    expected,
  );
});

test('an unlimited value is null', () => {
  const files = { ...v2, 'memory.max': 'max\n' };
  expect(
    readCgroupMemory(machine({ '/proc/self/cgroup': '0::/\n', ...filesIn('/sys/fs/cgroup', files) }))?.limit,
  ).toBeNull();
});

test('version 1 counts OOM kills and allocation failures', () => {
  const files = {
    'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 5\n',
    'memory.usage_in_bytes': '2000\n',
    'memory.stat': 'inactive_file 7\ntotal_inactive_file 500\n',
    'memory.failcnt': '12\n',
    'memory.limit_in_bytes': '9223372036854771712\n',
  };
  const text = { '/proc/self/cgroup': '8:pids:/\n4:memory:/a/b\n0::/\n' };
  const expected = { used: 1500, limit: null, events: { max: 12, oom_kill: 5 } };
  expect(readCgroupMemory(machine({ ...text, ...filesIn('/sys/fs/cgroup/memory/a/b', files) }))).toEqual(expected);
  expect(readCgroupMemory(machine({ ...text, ...filesIn('/sys/fs/cgroup/memory', files) }))).toEqual(expected);
});

test('a missing cgroup is null', () => {
  expect(readCgroupMemory(machine({}))).toBeNull();
  expect(readCgroupMemory(machine({ '/proc/self/cgroup': '0::/x\n' }))).toBeNull();
});

const hasCgroups = existsSync('/proc/self/cgroup') && existsSync('/sys/fs/cgroup');
(hasCgroups ? test : test.skip)('this machine tells its own', () => {
  const memory = readCgroupMemory();
  // A root cgroup of version 2 has no such files.
  if (memory === null) return expect(existsSync('/sys/fs/cgroup/memory.events')).toBe(false);
  expect(memory.used).toBeGreaterThan(1_000_000);
  expect(memory.events.oom_kill).toBeGreaterThanOrEqual(0);
});
