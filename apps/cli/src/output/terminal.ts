import type { Environment } from '@pilothouse/infra-config';
import type { ReadStream, WriteStream } from 'node:tty';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { usage } from './exit-codes.ts';
import { styleFor, supportsColor, type Style } from './text-style.ts';
import { short } from './sanitize-text.ts';

/** Output and prompts of a command. */
export interface Terminal {
  /** A line of the result, to stdout. */
  out(line?: string): void;
  /** A line to stderr: errors, hints. */
  err(line: string): void;
  /** Shows the current activity in one line that is redrawn; null removes it. No effect without a terminal. */
  status(line: (() => string) | null): void;
  /** Style of stdout, and of stderr. */
  readonly style: Style;
  readonly errStyle: Style;
  /** Width of stdout; Infinity without a terminal. */
  readonly columns: number;
  /** True if the terminal can prompt. */
  readonly canPrompt: boolean;
  /** True if a person may watch: the terminal can prompt, or shows stdout. */
  readonly isAttended: boolean;
  /** Prompts for a line without echo. @throws PromptCancelled on Ctrl-C or Ctrl-D */
  promptSecret(question: string): Promise<string>;
  /** Text of stdin, up to its end. @throws CommandError when stdin is a terminal, which would show the input */
  readInput(): Promise<string>;
  /** Prompts for yes or no. The default is no. @throws PromptCancelled on Ctrl-C or Ctrl-D */
  confirm(question: string): Promise<boolean>;
}

/** Ctrl-C or Ctrl-D instead of an answer. */
export class PromptCancelled extends Error {
  override readonly name = 'PromptCancelled';
}

type Out = Pick<WriteStream, 'write' | 'isTTY' | 'columns'>;
type In = Pick<ReadStream, 'isTTY' | 'setRawMode' | 'setEncoding' | 'on' | 'off' | 'resume' | 'pause'>;

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const CLEAR = '\r\u001b[2K';

/** The terminal of a process, over its three streams. */
export function terminalOf(streams: { stdin: In; stdout: Out; stderr: Out }, environment: Environment): Terminal {
  const { stdin, stdout, stderr } = streams;
  const isLive = stdout.isTTY === true && environment.TERM !== 'dumb';
  const canPrompt = stdin.isTTY === true && stderr.isTTY === true;
  let activity: (() => string) | null = null;
  let frame = 0;
  let timer: Timer | undefined;
  const style = styleFor(supportsColor(stdout, environment));

  const clear = () => void (isLive && activity && stdout.write(CLEAR));
  const render = () => {
    if (!isLive || !activity) return;
    frame = (frame + 1) % frames.length;
    stdout.write(`${CLEAR}${style.cyan(frames[frame] ?? '')} ${short(activity(), (stdout.columns ?? 80) - 3)}`);
  };
  const write = (stream: Out, line: string) => {
    clear();
    stream.write(`${line}\n`);
    render();
  };

  return {
    out: (line = '') => write(stdout, line),
    err: (line) => write(stderr, line),
    status(line) {
      clear();
      activity = line;
      systemTimers.clearInterval(timer);
      render();
      if (isLive && line) timer = systemTimers.setInterval(render, FRAME_MS).unref();
    },
    style,
    errStyle: styleFor(supportsColor(stderr, environment)),
    columns: stdout.isTTY === true ? (stdout.columns ?? 80) : Infinity,
    canPrompt,
    isAttended: canPrompt || stdout.isTTY === true,
    promptSecret: (question) => prompt(`${question}: `, stdin, stderr, false),
    async readInput() {
      if (stdin.isTTY !== true) return readAll(stdin);
      throw usage('Cannot prompt: stderr is redirected.', [
        'Run the command without the redirection, or pipe the value to stdin.',
      ]);
    },
    confirm: async (question) => /^y(es)?$/i.test((await prompt(`${question} [y/N] `, stdin, stderr, true)).trim()),
  };
}

function readAll(stdin: In): Promise<string> {
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let input = '';
    stdin.on('data', (chunk: string | Buffer) => void (input += String(chunk)));
    stdin.on('end', () => resolve(input));
    stdin.on('error', reject);
  });
}

/** Reads a line in raw mode. The prompt goes to stderr; stdout is for results. @param isShown echoes the input */
function prompt(question: string, stdin: In, stderr: Out, isShown: boolean): Promise<string> {
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let input = '';
    const end = () => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
    };
    const onData = (chunk: string | Buffer) => {
      for (const char of String(chunk)) {
        if (char === '\r' || char === '\n') return void (end(), resolve(input));
        if (char === '\u0003' || char === '\u0004')
          return void (end(), reject(new PromptCancelled('No value entered.')));
        if (char === '\u007f' || char === '\b') {
          if (isShown && input !== '') stderr.write('\b \b');
          input = [...input].slice(0, -1).join('');
        } else if (char >= ' ') {
          if (isShown) stderr.write(char);
          input += char;
        }
      }
    };
    stdin.on('data', onData);
  });
}
