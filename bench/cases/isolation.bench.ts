/**
 * Counts what a program of a desktop session reaches of its worker and of other sessions. The control has no isolation and must reach
 * everything, so that no probe is blind.
 */
import { noIsolation } from '../../libs/surface/desktop/src/process/session-isolation.ts';
import { probeKinds, runIsolationSuite } from '../../libs/surface/desktop/src/testing/isolation-suite.fixture.ts';
import { atLeast, atMost, type Bench } from '../harness/bench.ts';

export const isolation: Bench = async ({ log }) => {
  const control = await runIsolationSuite({ isolation: noIsolation });
  log('control');
  const hits = await runIsolationSuite();
  log('sessions');
  const countOf = (kind: string) => hits[kind]?.length ?? 0;
  const reached = probeKinds.filter((kind) => (control[kind]?.length ?? 0) > 0);
  return {
    figures: [
      ...probeKinds.map((kind) => atMost(`${kind}, hits`, countOf(kind), 0, '')),
      atLeast('kinds that the control without isolation reaches', reached.length, probeKinds.length, ''),
    ],
    raw: { control, hits },
  };
};
