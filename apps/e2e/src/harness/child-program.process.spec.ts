import { processTree, runningProcesses } from './process-tree.ts';
import { Program } from './child-program.ts';

const start = (code: string) => Program.start({ name: 'subject', args: ['-e', code], env: { ONLY: 'this' } });
const ticking = 'setInterval(() => {}, 1000); console.log("ready " + Object.keys(process.env).sort())';
const isReady = (program: Program) => program.lines.find((line) => line.startsWith('ready'));

test('a program gets only its environment, and its remaining processes are reported and killed', async () => {
  const program = await start(`require('node:child_process').spawn('sleep', ['1000'], { detached: true });
    process.on('SIGTERM', () => process.exit(0)); ${ticking}`);
  expect(await program.ready('it says so', () => isReady(program))).toBe('ready ONLY');
  await expect(program.stop()).rejects.toThrow(/left behind: \d+ sleep 1000/);
  expect(program.isRunning).toBe(false);
});

test('a killed program exits immediately', async () => {
  const program = await start(`process.on('SIGTERM', () => {}); ${ticking}`);
  await program.ready('it says so', () => isReady(program));
  const tree = await processTree(program.pid);
  expect(tree).toHaveLength(1);
  await program.kill();
  expect(await runningProcesses(tree)).toEqual([]);
  expect(() => program.signal('SIGCONT')).not.toThrow();
});

test('a program that exits during its start fails with its output', async () => {
  const program = await start('console.error("the port is taken"); process.exit(3)');
  await expect(program.ready('it says so', () => isReady(program))).rejects.toThrow(
    /ended instead[^]*the port is taken/,
  );
});
