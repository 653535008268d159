/**
 * A supervisor that specs kill. It starts the installation in the folder of its argument, reports when it is ready, and
 * waits.
 */
import { upConfig } from '@pilothouse/infra-config';
import { findInstallation } from '../installation/installation-paths.ts';
import { Supervisor } from '../local/supervisor.ts';

const config = upConfig({ PATH: process.env.PATH, PILOTHOUSE_PORT: '0' });
const installation = findInstallation(undefined, process.argv[2]);
const supervisor = await Supervisor.open({ installation, config, printLine: (line) => console.log(line) });
if (!(supervisor instanceof Supervisor)) throw new Error('Another one runs.');
await supervisor.start();
console.log('ready');
