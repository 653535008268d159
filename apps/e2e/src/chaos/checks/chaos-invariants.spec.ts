import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './stored-run.ts';
import { invariants, violationsOf } from './chaos-invariants.ts';

const RUN = '01a1fd1c-4560-731a-bbc1-b0ad6ee79ba1';

const run = (fields: Partial<RunFacts> = {}): RunFacts => ({
  id: RUN,
  status: 'completed',
  epoch: 2,
  eventSeq: 9,
  usedSteps: 2,
  errorCode: null,
  hasLease: false,
  hasSafePoint: false,
  key: 'k',
  onWorkerLost: null,
  steps: [
    { trace: 'visit', idempotent: true, onInterrupted: undefined },
    { trace: 'letter', idempotent: false, onInterrupted: undefined },
  ],
  ...fields,
});

const event = (seq: number, epoch: number, n: number | null, type: string, step?: number): EventFacts => ({
  run: RUN,
  seq,
  epoch,
  n,
  type,
  data: step === undefined ? {} : { step },
  durableAt: seq * 100,
});

const trace = (kind: TraceFacts['kind'], epoch: number, step: number, traceAt: number): TraceFacts => ({
  kind,
  run: RUN,
  epoch,
  step,
  at: traceAt,
});

/** A run whose worker died after its first step and that another worker completed. */
const events: readonly EventFacts[] = [
  event(1, 0, null, 'run.queued'),
  event(2, 1, null, 'run.assigned'),
  event(3, 1, 1, 'step.started', 0),
  event(4, 1, null, 'run.requeued'),
  event(5, 2, null, 'run.assigned'),
  event(6, 2, 1, 'step.started', 1),
  event(7, 2, 2, 'step.completed', 1),
  event(8, 2, 3, 'run.log'),
  event(9, 2, null, 'run.completed'),
];
const traces: readonly TraceFacts[] = [trace('visit', 1, 0, 320), trace('letter', 2, 1, 650)];

const facts = (fields: Partial<CaseFacts> = {}): CaseFacts => ({
  runs: [run()],
  events,
  traces,
  repairs: [{ workflow: 'shop', healed: 2, proposals: 1 }],
  cachedActions: [],
  submissions: [{ key: 'k', runs: [RUN] }],
  actions: { cancelled: new Set(), dismissed: new Set(), mayFail: [], drained: null },
  remainingProcesses: [],
  ...fields,
});

const without = (seq: number) => events.filter((event) => event.seq !== seq);
const changed = (seq: number, fields: Partial<EventFacts>) =>
  events.map((event) => (event.seq === seq ? { ...event, ...fields } : event));

test('a recovered run that completed has no violation', () => {
  expect(violationsOf(facts())).toEqual([]);
});

const drained = (): Partial<CaseFacts> => ({
  actions: { cancelled: new Set(), dismissed: new Set(), mayFail: [], drained: { worker: 'one', exitedAt: 350 } },
  events: handedBack(),
});
/** The first attempt works on a goal for two turns, then another attempt does. */
const agent = (): Partial<CaseFacts> => ({
  events: [
    ...events.slice(0, 3),
    { ...event(3, 1, 2, 'agent.turn', 0), durableAt: 310 },
    { ...event(3, 1, 3, 'agent.turn', 0), durableAt: 320 },
    ...events.slice(3, 6),
    { ...event(6, 2, 2, 'agent.turn', 1), durableAt: 610 },
    ...events.slice(6),
  ],
});
const handedBack = (code = 'RUN_HANDED_BACK') => changed(4, { data: { error: { code }, worker: 'one' } });

/** Its first step was running when its worker died. */
const interrupted = (onInterrupted: 'ask' | 'fail') =>
  run({ steps: run().steps.map((step, index) => (index === 0 ? { ...step, onInterrupted } : step)) });

const bad: Record<keyof typeof invariants, Partial<CaseFacts>[]> = {
  'each accepted run is stored once': [
    { runs: [] },
    { runs: [run(), run({ id: RUN.replace('01', '02') })] },
    { submissions: [{ key: 'k', runs: [RUN, RUN.replace('01', '02')] }] },
  ],
  'every run ended': [{ runs: [run({ status: 'running' })] }, { runs: [run({ status: 'awaiting_user' })] }],
  'a run ends once, with its last event': [
    { events: [...events, event(10, 2, null, 'run.completed')], runs: [run({ eventSeq: 10 })] },
    { events: [...events, event(10, 2, 4, 'run.log')], runs: [run({ eventSeq: 10 })] },
    { events: without(9), runs: [run({ eventSeq: 8 })] },
    { runs: [run({ status: 'failed' })] },
    { runs: [run({ status: 'running' })] },
  ],
  'events count from 1, without gap': [{ events: without(4) }, { runs: [run({ eventSeq: 10 })] }],
  'events of an attempt are stored once, in order': [
    { events: changed(7, { n: 1 }) },
    { events: changed(7, { n: 4 }) },
    { events: changed(6, { n: 2 }) },
  ],
  'no event belongs to an ended attempt': [{ events: changed(8, { epoch: 1, n: 2 }) }, { runs: [run({ epoch: 1 })] }],
  'a step starts before it completes, each once an attempt': [
    { events: changed(6, { type: 'run.log' }) },
    { events: changed(8, { type: 'step.started', data: { step: 1 } }) },
    { events: changed(8, { type: 'step.completed', data: { step: 1 } }) },
  ],
  'each started step counts once': [
    { runs: [run({ usedSteps: 3 })] },
    { events: changed(8, { type: 'branch.step_started' }) },
  ],
  'an ended run has no lease and no safe point': [
    { runs: [run({ hasLease: true })] },
    { runs: [run({ hasSafePoint: true })] },
  ],
  'no action without an intent that was durable before': [
    { traces: [...traces, trace('visit', 2, 0, 700)] },
    { traces: [trace('visit', 1, 0, 250), trace('letter', 2, 1, 650)] },
  ],
  'a step that is not idempotent ran once': [{ traces: [...traces, trace('letter', 2, 1, 660)] }],
  'a completed run executed all steps': [{ traces: [trace('visit', 1, 0, 320)] }],
  'an ended attempt does nothing': [
    { traces: [...traces, trace('letter', 1, 1, 640)] },
    { runs: [run({ onWorkerLost: 'restart' })], traces: [...traces, trace('visit', 1, 0, 640)] },
    { traces: [trace('visit', 1, 0, 640)] },
    { traces: [...traces, trace('visit', 1, 0, 640), trace('visit', 1, 0, 660)] },
  ],
  'nothing reached the site after the end': [{ traces: [...traces, trace('visit', 2, 0, 1_900)] }],
  'a cancelled run is not started again': [{ events: changed(3, { type: 'run.cancelling' }) }],
  'a cancelled attempt stops within its lease': [
    { events: changed(3, { type: 'run.cancelling' }), traces: [...traces, trace('visit', 1, 0, 9_000)] },
  ],
  'a run without recovery acts in one attempt': [
    { runs: [run({ onWorkerLost: 'fail' })] },
    { runs: [run({ onWorkerLost: 'fail' })], events: changed(6, { type: 'run.log' }), traces: [] },
    { runs: [run({ onWorkerLost: 'fail', status: 'failed', errorCode: 'WORKER_LOST' })] },
  ],
  'a restarted run begins with its first step': [{ runs: [run({ onWorkerLost: 'restart' })] }],
  'a drained worker repeats nothing, asks no question, and fails no run': [
    { ...drained(), events: handedBack('LEASE_LOST') },
    { ...drained(), events: handedBack('WORKER_LOST') },
    {
      ...drained(),
      events: handedBack().map((event) => (event.seq === 8 ? { ...event, type: 'run.awaiting_user' } : event)),
    },
    {
      ...drained(),
      events: handedBack().map((event) =>
        event.seq === 3 ? { ...event, type: 'step.completed', data: { step: 1 } } : event,
      ),
    },
    { ...drained(), runs: [run({ status: 'failed' })] },
  ],
  'an exited worker leaves no process': [
    { remainingProcesses: [{ pid: 7, worker: 'c1-1-AbCdEf', command: '/usr/lib/chromium/chromium --headless' }] },
  ],
  'an interrupted step asks a question or fails its run, by its policy': [
    { runs: [interrupted('fail')] },
    { runs: [{ ...interrupted('fail'), status: 'failed', errorCode: 'TARGET_NOT_FOUND' }] },
    { runs: [interrupted('ask')], events: changed(6, { data: { step: 0 } }) },
  ],
  'actions of an agent are cached completely': [
    { ...agent(), cachedActions: [{ run: RUN, turns: 1, ends: 1, at: 400 }] },
    { ...agent(), cachedActions: [{ run: RUN, turns: 2, ends: 0, at: 400 }] },
  ],
  'an ended attempt caches nothing': [{ ...agent(), cachedActions: [{ run: RUN, turns: 2, ends: 1, at: 620 }] }],
  'a repair is proposed once': [
    { repairs: [{ workflow: 'shop', healed: 2, proposals: 2 }] },
    { repairs: [{ workflow: 'shop', healed: 1, proposals: 0 }] },
    { repairs: [{ workflow: 'shop', healed: 0, proposals: 1 }] },
  ],
  'a run fails or is cancelled only for a reason': [
    { runs: [run({ status: 'cancelled' })] },
    { runs: [run({ status: 'failed', errorCode: 'STEP_STATUS_UNKNOWN' })] },
    { runs: [run({ status: 'failed', errorCode: 'POISON_RUN' })] },
  ],
};

test.each(
  Object.entries(bad).flatMap(([name, cases]) =>
    cases.map((caseFacts, index) => ({ name, more: caseFacts, at: index })),
  ),
)('fails: $name ($at)', ({ name, more: caseFacts }) => {
  expect(violationsOf(facts(caseFacts)).map(({ invariant }) => invariant)).toContain(name);
});

test('allowed behavior is no violation', () => {
  const failed = changed(9, { type: 'run.failed' });
  const steps = run().steps.map((step) => ({ ...step, onInterrupted: 'fail' as const }));
  const unknown = run({ status: 'failed', errorCode: 'STEP_STATUS_UNKNOWN', steps });
  expect(violationsOf(facts({ runs: [unknown], events: failed }))).toEqual([]);
  const cancelled = changed(9, { type: 'run.cancelled' });
  const actions = { cancelled: new Set([RUN]), dismissed: new Set<string>(), mayFail: [], drained: null };
  expect(violationsOf(facts({ runs: [run({ status: 'cancelled' })], events: cancelled, actions }))).toEqual([]);
});

test('an interrupted step may be repeated after an answer', () => {
  const question = { ...event(6, 2, null, 'run.awaiting_user', 0), durableAt: 550 };
  const later = events
    .slice(5)
    .map((event) => ({ ...event, seq: event.seq + 1, ...(event.seq < 8 && { data: { step: 0 } }) }));
  const runs = [{ ...interrupted('ask'), eventSeq: 10 }];
  const violations = violationsOf(facts({ runs, events: [...events.slice(0, 5), question, ...later] }));
  expect(violations.filter(({ invariant }) => invariant.startsWith('an interrupted step'))).toEqual([]);
});

test('actions of the first attempt at a goal are cached, including those in flight when the next one began', () => {
  const cachedActions = [480, 580].map((cachedAt) => ({ run: RUN, turns: 2, ends: 1, at: cachedAt }));
  const violated = violationsOf(facts({ ...agent(), cachedActions })).map(({ invariant }) => invariant);
  expect(violated.filter((invariant) => invariant.includes('remembered'))).toEqual([]);
});

test('a worker that returns its run violates nothing', () => {
  expect(violationsOf(facts(drained()))).toEqual([]);
});

test('another worker that loses its lease during a drain violates nothing', () => {
  const lost = changed(4, { data: { error: { code: 'WORKER_LOST' }, worker: 'another' } });
  expect(violationsOf(facts({ ...drained(), events: lost }))).toEqual([]);
});

test('a run that is claimed for a draining worker goes to another one', () => {
  expect(violationsOf(facts({ ...drained(), events: handedBack('ASSIGNMENT_NOT_ACCEPTED') }))).toEqual([]);
});

test('a worker that stalls beyond its lease before it exits loses its runs', () => {
  const actions = { ...facts().actions, drained: { worker: 'one', exitedAt: 450 } };
  expect(violationsOf(facts({ actions, events: handedBack('WORKER_LOST') }))).toEqual([]);
});

test('a request in flight when another attempt began is no action of an ended attempt', () => {
  expect(violationsOf(facts({ traces: [trace('visit', 1, 0, 590), trace('letter', 2, 1, 650)] }))).toEqual([]);
});

test('a restored page may have the mark of the previous attempt', () => {
  expect(violationsOf(facts({ traces: [...traces, trace('visit', 1, 0, 640)] }))).toEqual([]);
});

test('a dismissed run need not have completed all steps', () => {
  const undone = { traces: [], events: events.filter(({ type }) => !type.startsWith('step.')) };
  const renumbered = undone.events.map((event, index) => ({
    ...event,
    seq: index + 1,
    n: event.n === null ? null : 1,
  }));
  const dismissed = { ...undone, events: renumbered, runs: [run({ eventSeq: renumbered.length, usedSteps: 0 })] };
  const actions = { cancelled: new Set<string>(), dismissed: new Set([RUN]), mayFail: [], drained: null };
  expect(violationsOf(facts(dismissed)).map(({ invariant }) => invariant)).toContain(
    'a completed run executed all steps',
  );
  expect(violationsOf(facts({ ...dismissed, actions }))).toEqual([]);
});
