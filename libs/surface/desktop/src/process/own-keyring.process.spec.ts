import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withOwnKeyring } from './own-keyring.ts';

/** Adds a key to a new session keyring, and starts the program of its arguments, which inherits the keyring. */
const WITH_KEY = `
import ctypes, platform, subprocess, sys
libc, arm = ctypes.CDLL(None), platform.machine() == 'aarch64'
libc.syscall(219 if arm else 250, 1, None)
assert libc.syscall(217 if arm else 248, b'user', b'ticket', b'secret', 6, -3) > 0
subprocess.run(sys.argv[1:], check=True)
`;

/** Searches the key in the session keyring. Prints 1 if it is found. */
const SEARCH = `
import ctypes, platform
keyctl = 219 if platform.machine() == 'aarch64' else 250
print(int(ctypes.CDLL(None).syscall(keyctl, 10, -3, b'user', b'ticket', 0) > 0))
`;

test('a program with its own keyring finds no key of the session in which the worker was started', async () => {
  const search = { program: '/usr/bin/python3', args: ['-c', SEARCH] };
  const isFound = async ({ program, args }: { program: string; args: readonly string[] }) => {
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', WITH_KEY, program, ...args]);
    return stdout.trim() === '1';
  };
  expect(await isFound(search)).toBe(true);
  expect(await isFound(withOwnKeyring(search))).toBe(false);
});
