import type { Environment } from '@pilothouse/infra-config';
import type { ReadStream, WriteStream } from 'node:tty';
import { styleFor, wantsColor, type Style } from './text-style.ts';
import { short } from './sanitize-text.ts';

/** Where a command says things. */
export interface Terminal {
  /** A line of the result, to stdout. */
  out(line?: string): void;
  /** A line beside the result, to stderr: what went wrong, what to do next. */
  err(line: string): void;
  /** What is at work, in one line that replaces itself; null takes it away. Nothing where stdout is no terminal. */
  status(line: (() => string) | null): void;
  /** Look of stdout, and of stderr. */
  readonly style: Style;
  readonly errStyle: Style;
  /** Columns of stdout; Infinity where it is no terminal, so that nothing is cut for a program. */
  readonly columns: number;
  /** Whether somebody sits there who can be asked. */
  readonly canAsk: boolean;
  /** Asks for a line that does not show while it is typed. @throws when the person gives up with Ctrl-C or Ctrl-D */
  askSecret(question: string): Promise<string>;
}

/** Ctrl-C or Ctrl-D instead of an answer. */
export class AskedInVain extends Error {
  override readonly name = 'AskedInVain';
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
  let working: (() => string) | null = null;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const style = styleFor(wantsColor(stdout, environment));

  const wipe = () => void (isLive && working && stdout.write(CLEAR));
  const draw = () => {
    if (!isLive || !working) return;
    frame = (frame + 1) % frames.length;
    stdout.write(`${CLEAR}${style.cyan(frames[frame] ?? '')} ${short(working(), (stdout.columns ?? 80) - 3)}`);
  };
  const say = (stream: Out, line: string) => {
    wipe();
    stream.write(`${line}\n`);
    draw();
  };

  return {
    out: (line = '') => say(stdout, line),
    err: (line) => say(stderr, line),
    status(line) {
      wipe();
      working = line;
      clearInterval(timer);
      draw();
      if (isLive && line) timer = setInterval(draw, FRAME_MS).unref();
    },
    style,
    errStyle: styleFor(wantsColor(stderr, environment)),
    columns: stdout.isTTY === true ? (stdout.columns ?? 80) : Infinity,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    askSecret: (question) => askSecret(question, stdin, stderr),
  };
}

/** Reads a line in raw mode: the terminal echoes nothing, so neither do we. The question goes to stderr; stdout is for results. */
function askSecret(question: string, stdin: In, stderr: Out): Promise<string> {
  stderr.write(`${question}: `);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = () => {
      stdin.off('data', read);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
    };
    const read = (chunk: string | Buffer) => {
      for (const char of String(chunk)) {
        if (char === '\r' || char === '\n') return void (end(), resolve(typed));
        if (char === '\u0003' || char === '\u0004') return void (end(), reject(new AskedInVain('Nothing was given.')));
        if (char === '\u007f' || char === '\b') typed = [...typed].slice(0, -1).join('');
        else if (char >= ' ') typed += char;
      }
    };
    stdin.on('data', read);
  });
}
