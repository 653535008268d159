/** Keeps unit tests free of servers and processes. A connection or a child process fails with the name of the suite to use instead. */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { limitTests } from './test-limit.ts';

limitTests(20_000);

const refuse = (action: string) => (): never => {
  throw new Error(`A unit test may not ${action}. Rename the file to name.process.spec.ts (or .db, .browser, .e2e).`);
};

// A jest worker runs files of one suite only, so nothing is restored.
Object.assign(net.Socket.prototype, { connect: refuse('open a connection') });
Object.assign(net.Server.prototype, { listen: refuse('open a port') });
const refuseProcess = refuse('start a process');
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuseProcess });
Object.assign(childProcess, { spawnSync: refuseProcess, execFileSync: refuseProcess, execSync: refuseProcess });
syncBuiltinESMExports();
