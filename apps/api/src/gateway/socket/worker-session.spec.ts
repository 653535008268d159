import { createHeldAttempt } from './held-attempts.ts';
import { WorkerSession } from './worker-session.ts';
import type { WorkerSocket } from './worker-socket.ts';

const anAttempt = (run: string) =>
  createHeldAttempt({
    ...{ run, epoch: 1, lastSequence: 0, isAccepted: false, lostAttempts: 0, rejectedClaims: 0 },
    assignedAtMs: 0,
  });

interface Step {
  readonly title: string;
  readonly slots: number;
  readonly isClosed?: boolean;
  run(session: WorkerSession): void;
  readonly available: number;
}

const sequences: readonly Step[] = [
  { title: 'has no slot before its first ready', slots: 4, run: () => undefined, available: 0 },
  { title: 'offers what it reported free', slots: 4, run: (s) => s.onReady(3), available: 3 },
  { title: 'offers no more than its slots', slots: 2, run: (s) => s.onReady(5), available: 2 },
  {
    title: 'subtracts the attempts that it holds from its slots',
    slots: 2,
    run: (s) => {
      s.onReady(2);
      s.attempts.add(anAttempt('a'));
    },
    available: 1,
  },
  {
    title: 'subtracts reserved slots',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.reserve();
      s.reserve();
    },
    available: 2,
  },
  {
    title: 'frees a reserved slot when the claim fails',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.reserve();
      s.release();
    },
    available: 4,
  },
  {
    title: 'counts an assigned run once, although the worker has not received it',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.reserve();
      s.attempts.add(anAttempt('a'));
      s.onAssigned();
      s.release();
    },
    available: 3,
  },
  {
    title: 'subtracts assignments that a ready did not know of',
    slots: 4,
    run: (s) => {
      s.onReady(2, 0);
      s.onAssigned();
      s.onReady(2, 0);
    },
    available: 1,
  },
  {
    title: 'does not subtract assignments that the worker had received',
    slots: 4,
    run: (s) => {
      s.onReady(2, 0);
      s.onAssigned();
      s.onReady(1, 1);
    },
    available: 1,
  },
  {
    title: 'takes a ready without a count as one that knows of all assignments',
    slots: 4,
    run: (s) => {
      s.onAssigned();
      s.onReady(2);
    },
    available: 2,
  },
  {
    title: 'offers nothing while it is cordoned',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.applyFlags({ drain: false, cordoned: true });
    },
    available: 0,
  },
  {
    title: 'offers its slots again when it is no longer cordoned',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.applyFlags({ drain: false, cordoned: true });
      s.applyFlags({ drain: false, cordoned: false });
    },
    available: 4,
  },
  {
    title: 'drains for good',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.applyFlags({ drain: true, cordoned: false });
      s.applyFlags({ drain: false, cordoned: false });
    },
    available: 0,
  },
  {
    title: 'offers nothing after it said bye',
    slots: 4,
    run: (s) => {
      s.onReady(4);
      s.drain();
    },
    available: 0,
  },
  {
    title: 'offers nothing when its socket is closed',
    slots: 4,
    isClosed: true,
    run: (s) => s.onReady(4),
    available: 0,
  },
];

it.each(sequences)('$title', ({ slots, isClosed = false, run, available }) => {
  const socket = { isOpen: !isClosed } as WorkerSocket;
  const session = new WorkerSession(socket, { id: 's', workerName: 'w', slots });
  run(session);
  expect(session.availableSlots).toBe(available);
});

it('reports that a worker is no longer cordoned', () => {
  const session = new WorkerSession({ isOpen: true } as WorkerSocket, { id: 's', workerName: 'w', slots: 1 });
  const flags = [true, true, false, false].map((cordoned) => session.applyFlags({ drain: false, cordoned }));
  expect(flags).toEqual([false, false, true, false]);
});
