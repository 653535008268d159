/** Keeps unit tests free of servers and processes. A connection or a child process fails with the name of the suite to use instead. */
import { afterAll } from '@jest/globals';

const refuse = (action: string) => (): never => {
  throw new Error(`A unit test may not ${action}. Rename the file to name.process.spec.ts (or .db, .browser, .e2e).`);
};

// Not imported: jest copies the exports of a module at its first import, which must happen after this code.
const childProcess = process.getBuiltinModule('node:child_process');
const net = process.getBuiltinModule('node:net');

const restores: (() => void)[] = [];
function replace<Owner extends object, Key extends keyof Owner>(owner: Owner, key: Key, value: unknown): void {
  const original = owner[key];
  owner[key] = value as Owner[Key];
  restores.push(() => (owner[key] = original));
}

replace(net.Socket.prototype, 'connect', refuse('open a connection'));
replace(net.Server.prototype, 'listen', refuse('open a port'));
replace(childProcess.ChildProcess.prototype as object as { spawn: unknown }, 'spawn', refuse('start a process'));
for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
  replace(childProcess, name, refuse('start a process'));
}

// The modules are those of the jest process, which continues with files of other suites.
afterAll(() => {
  for (const restore of restores) restore();
});
