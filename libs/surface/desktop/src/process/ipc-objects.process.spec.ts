import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ipcObjects, removeIpcObjects } from './ipc-objects.ts';

/** A program that creates a System V object of each kind, uses it and prints the ids. */
const CREATE_OBJECTS = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
IPC_PRIVATE, SETVAL = 0, 16
shm, sem, msg = libc.shmget(IPC_PRIVATE, 4096, 0o600), libc.semget(IPC_PRIVATE, 1, 0o600), libc.msgget(IPC_PRIVATE, 0o600)
libc.semctl(sem, 0, SETVAL, 1)
libc.msgsnd(msg, ctypes.create_string_buffer(b'\\x01' + bytes(15)), 4, 0)
print('shm %d,sem %d,msg %d' % (shm, sem, msg), flush=True)
sys.stdin.read()
`;

async function startProgram() {
  const child = spawn('/usr/bin/python3', ['-c', CREATE_OBJECTS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, pid: child.pid ?? 0, names: String(line).trim().split(',') };
}

const existing = async (names: readonly string[]) => {
  const known = (await ipcObjects()).map(({ kind, id }) => `${kind} ${id}`);
  return names.filter((name) => known.includes(name));
};

test('objects of the processes of a session are removed, and those of other processes of the same user stay', async () => {
  const [session, neighbour] = await Promise.all([startProgram(), startProgram()]);
  try {
    expect(await existing([...session.names, ...neighbour.names])).toHaveLength(6);
    await removeIpcObjects(null, [session.pid]);
    expect(await existing(session.names)).toEqual([]);
    expect(await existing(neighbour.names)).toEqual(neighbour.names);
  } finally {
    await removeIpcObjects(null, [neighbour.pid]);
    session.child.kill('SIGKILL');
    neighbour.child.kill('SIGKILL');
  }
  expect(await existing(neighbour.names)).toEqual([]);
});
