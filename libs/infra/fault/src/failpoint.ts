import { type Failpoint, failpoints, isFailpoint } from './failpoint-catalogue.ts';
import { readFileSync, writeSync } from 'node:fs';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Effect of a failpoint: kill or stop the process, or pause the code. */
export type FailpointAction =
  { readonly kind: 'kill' } | { readonly kind: 'stop' } | { readonly kind: 'pause'; readonly ms: number };

/** Action for one hit of a failpoint. Each rule applies once. */
export interface FailpointRule {
  readonly name: Failpoint;
  /** Number of the hit that the action applies to; the first is 1. */
  readonly count: number;
  readonly action: FailpointAction;
}

const RULE = /^(?<name>[\w.-]+?)(?::(?<count>[1-9]\d{0,6}))?=(?:(?<action>kill|stop)|pause\/(?<ms>\d{1,6}))$/;

/**
 * Reads `name[:count]=kill`, `=stop` or `=pause/<milliseconds>`, several joined by commas.
 * @throws Error that describes the defect
 */
export function parseFailpoints(text: string): FailpointRule[] {
  return text.split(',').map((part) => {
    const { name = '', count = '1', action, ms } = RULE.exec(part.trim())?.groups ?? {};
    if (name === '')
      throw new Error(`"${part}" is not a failpoint rule. Write name[:count]=kill, =stop or =pause/<milliseconds>.`);
    if (!isFailpoint(name)) throw new Error(`Failpoint ${name} not found: ${Object.keys(failpoints).join(', ')}`);
    if (ms !== undefined && !failpoints[name].isAsync) throw new Error(`${name} cannot pause. Use kill or stop.`);
    return { name, count: Number(count), action: parseAction(action, ms) };
  });
}

function parseAction(action: string | undefined, ms: string | undefined): FailpointAction {
  if (ms !== undefined) return { kind: 'pause', ms: Number(ms) };
  return action === 'stop' ? { kind: 'stop' } : { kind: 'kill' };
}

/** Applies rules and counts the hits of their failpoints. */
export class FailpointRunner {
  private readonly rules: ReadonlyMap<Failpoint, readonly FailpointRule[]>;
  private readonly hits = new Map<Failpoint, number>();

  constructor(rules: readonly FailpointRule[]) {
    this.rules = Map.groupBy(rules, ({ name }) => name);
  }

  hit(name: Failpoint, runs: readonly string[]): Promise<void> | undefined {
    const rules = this.rules.get(name);
    if (!rules) return undefined;
    const hits = (this.hits.get(name) ?? 0) + 1;
    this.hits.set(name, hits);
    const rule = rules.find(({ count }) => count === hits);
    return rule && execute(rule, runs);
  }
}

function execute({ name, count, action }: FailpointRule, runs: readonly string[]): Promise<void> | undefined {
  // Written synchronously: a buffered line would be lost with the process.
  writeSync(process.stderr.fd, `failpoint ${name}:${count}=${actionText(action)} of ${runs.join(',')}\n`);
  switch (action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return undefined;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return undefined;
    case 'pause':
      return systemTimers.delay(action.ms);
  }
}

const actionText = (action: FailpointAction) => (action.kind === 'pause' ? `pause/${action.ms}` : action.kind);

let runner: FailpointRunner | undefined;

/**
 * A failpoint: a place where a test may kill, stop or pause this process. Does nothing unless failpoints are enabled.
 * @param runs ids of the affected runs
 * @returns a promise to await for a pause, else undefined
 */
export const failpoint = (name: Failpoint, ...runs: readonly string[]): Promise<void> | undefined =>
  runner?.hit(name, runs);

/**
 * Enables failpoints for the lifetime of this process and logs it.
 * @param rules value of PILOTHOUSE_FAILPOINTS: rules, or `@` and the path of a file with rules, which is read again on SIGUSR2
 * @throws Error that describes an invalid rule
 */
export function enableFailpoints(rules: string | undefined, log: Pick<Log, 'warn'>): void {
  if (rules === undefined) return;
  if (!rules.startsWith('@')) return applyRules(rules, log);
  const file = rules.slice(1);
  const reload = () => applyRules(readFileSync(file, 'utf8').trim(), log);
  reload();
  process.on('SIGUSR2', reload);
}

function applyRules(rules: string, log: Pick<Log, 'warn'>): void {
  runner = rules === '' ? undefined : new FailpointRunner(parseFailpoints(rules));
  log.warn({ rules }, runner ? 'failpoints enabled: this process will fail on purpose' : 'failpoints disabled');
}
