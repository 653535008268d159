/** A supervisor to be killed: starts the house in the folder of its argument, says when it is ready, and waits. */
import { upConfig } from '@pilothouse/infra-config';
import { findHouse } from '../local/installation-paths.ts';
import { Supervisor } from '../local/supervisor.ts';

const config = upConfig({ PATH: process.env.PATH, PILOTHOUSE_PORT: '0' });
const house = findHouse(undefined, process.argv[2]);
const supervisor = await Supervisor.open({ house, config, say: (line) => console.log(line) });
if (!(supervisor instanceof Supervisor)) throw new Error('Another one runs.');
await supervisor.start();
console.log('ready');
