import type { Environment } from '@pilothouse/infra-config';

/** Codes that start and end a style. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Styles a text, or returns it unchanged if colors are disabled. */
export type Paint = (text: string) => string;
export type Style = Readonly<Record<keyof typeof codes, Paint>>;

/** The paints. With `enabled` false each returns the text unchanged. */
export function styleFor(enabled: boolean): Style {
  const paint = ([open, end]: readonly [number, number]): Paint =>
    enabled ? (text) => (text === '' ? '' : `\u001b[${open}m${text}\u001b[${end}m`) : (text) => text;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

/** True if a stream gets colors: a terminal, unless NO_COLOR (any value) or TERM=dumb. FORCE_COLOR also enables them for pipes. */
export function supportsColor(stream: { readonly isTTY?: boolean }, environment: Environment): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}
