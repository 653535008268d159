import { EventEmitter } from 'node:events';
import { PromptCancelled, terminalOf } from './terminal.ts';

class Out {
  readonly isTTY: boolean;
  readonly columns = 40;
  written = '';
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string) {
    this.written += text;
    return true;
  }
}

class In extends EventEmitter {
  readonly isTTY = true;
  isRaw = false;
  setRawMode(mode: boolean) {
    this.isRaw = mode;
    return this as never;
  }
  setEncoding() {
    return this as never;
  }
  resume() {
    return this as never;
  }
  pause() {
    return this as never;
  }
}

const on = (isTTY: boolean, environment = {}) => {
  const streams = { stdin: new In(), stdout: new Out(isTTY), stderr: new Out(isTTY) };
  return { ...streams, terminal: terminalOf(streams as never, environment) };
};

test('a pipe gets plain full lines and no activity line', () => {
  const { terminal, stdout, stderr } = on(false);
  terminal.status(() => 'working');
  terminal.out(terminal.style.green('done'));
  terminal.err('beside');
  terminal.status(null);
  expect(stdout.written).toBe('done\n');
  expect(stderr.written).toBe('beside\n');
  expect(terminal.columns).toBe(Infinity);
});

test('on a terminal printed lines replace the activity line, which fits the width', () => {
  const { terminal, stdout } = on(true, { NO_COLOR: '1' });
  terminal.status(() => 'a title that is longer than the terminal is broad');
  expect(stdout.written).toBe('\r\u001b[2K⠙ a title that is longer than the term…');
  stdout.written = '';
  terminal.out('kept');
  expect(stdout.written).toMatch(/^\r\u001b\[2Kkept\n\r\u001b\[2K⠹ a title/);
  stdout.written = '';
  terminal.status(null);
  expect(stdout.written).toBe('\r\u001b[2K');
});

test('a secret is read without showing it, corrections included', async () => {
  const { terminal, stdin, stdout, stderr } = on(true);
  const answer = terminal.promptSecret('Password');
  expect(stdin.isRaw).toBe(true);
  stdin.emit('data', 'hunterr');
  stdin.emit('data', '\u007f2é\r');
  await expect(answer).resolves.toBe('hunter2é');
  expect(stdin.isRaw).toBe(false);
  expect(stdin.listenerCount('data')).toBe(0);
  expect(stderr.written).toBe('Password: \n');
  expect(stdout.written).toBe('');
});

test('input is not read from a keyboard without a prompt', async () => {
  const { terminal, stdin } = on(false);
  await expect(terminal.readInput()).rejects.toThrow('Cannot prompt: stderr is redirected.');
  expect(stdin.listenerCount('data')).toBe(0);
});

test.each([
  ['y\r', true, 'y'],
  ['nx\u007f\b\u007fYes\r', true, 'nx\b \b\b \bYes'],
  ['\r', false, ''],
  ['no\r', false, 'no'],
])('the answer %j to a question is %p, and its input is shown', async (input, isConfirmed, shownText) => {
  const { terminal, stdin, stderr } = on(true);
  const answer = terminal.confirm('Start?');
  stdin.emit('data', input);
  await expect(answer).resolves.toBe(isConfirmed);
  expect(stderr.written).toBe(`Start? [y/N] ${shownText}\n`);
});

test.each(['\u0003', '\u0004'])('%j cancels the prompt', async (key) => {
  const { terminal, stdin } = on(true);
  const answer = terminal.promptSecret('Password');
  stdin.emit('data', `half${key}`);
  await expect(answer).rejects.toBeInstanceOf(PromptCancelled);
  expect(stdin.isRaw).toBe(false);
});
