import { failpoints, isFailpoint, type Failpoint } from './failpoints.ts';

/** What happens at a failpoint: the process is killed, is stopped, or waits there. */
export type FailpointAction =
  { readonly kind: 'kill' } | { readonly kind: 'stop' } | { readonly kind: 'pause'; readonly ms: number };

/** What to do when a failpoint is passed for the `at`-th time. Each is carried out once. */
export interface FailpointRule {
  readonly name: Failpoint;
  /** Counted from 1. */
  readonly at: number;
  readonly deed: FailpointAction;
}

const ORDER = /^(?<name>[\w.-]+?)(?::(?<at>[1-9]\d{0,6}))?=(?:(?<deed>kill|stop)|pause\/(?<ms>\d{1,6}))$/;

/**
 * Reads `name[:count]=kill`, `=stop` or `=pause/<milliseconds>`, several joined by commas.
 * @throws Error a sentence that says what is wrong
 */
export function parseFailpoints(text: string): FailpointRule[] {
  return text.split(',').map((part) => {
    const { name = '', at = '1', deed, ms } = ORDER.exec(part.trim())?.groups ?? {};
    if (name === '') throw new Error(`"${part}" is no order: write name[:count]=kill, =stop or =pause/<milliseconds>`);
    if (!isFailpoint(name)) throw new Error(`There is no failpoint ${name}: ${Object.keys(failpoints).join(', ')}`);
    if (ms !== undefined && !failpoints[name].isAsync) throw new Error(`Nothing waits at ${name}: use kill or stop`);
    return { name, at: Number(at), deed: deedOf(deed, ms) };
  });
}

function deedOf(deed: string | undefined, ms: string | undefined): FailpointAction {
  if (ms !== undefined) return { kind: 'pause', ms: Number(ms) };
  return deed === 'stop' ? { kind: 'stop' } : { kind: 'kill' };
}
