import { FILL_INTERVAL_MS, FleetDispatchState, QUEUE_JOB_INTERVAL_MS } from './fleet-dispatch-state.ts';

interface Sequence {
  readonly title: string;
  run(state: FleetDispatchState): unknown;
  readonly result: unknown;
}

/** A state with a backlog whose last round at 1,000 ms left slots unfilled. */
const afterRound = (state: FleetDispatchState) => {
  state.onBacklog();
  state.onClaimed('local', { slots: 4, filled: 1 }, 1_000);
};

describe('a freed slot', () => {
  const sequences: readonly Sequence[] = [
    { title: 'is ignored without a backlog', run: (state) => state.onSlotFreed(0), result: null },
    {
      title: 'is filled at once while runs wait',
      run: (state) => {
        state.onBacklog();
        return state.onSlotFreed(0);
      },
      result: 0,
    },
    {
      title: 'is filled after a pause when the last round left slots unfilled',
      run: (state) => {
        afterRound(state);
        return state.onSlotFreed(1_020);
      },
      result: FILL_INTERVAL_MS - 20,
    },
    {
      title: 'schedules no second fill',
      run: (state) => {
        afterRound(state);
        state.onSlotFreed(1_020);
        return state.onSlotFreed(1_030);
      },
      result: null,
    },
    {
      title: 'schedules another fill after the timer',
      run: (state) => {
        afterRound(state);
        state.onSlotFreed(1_020);
        state.onFillTimer();
        return state.onSlotFreed(1_030);
      },
      result: FILL_INTERVAL_MS - 30,
    },
    {
      title: 'is filled at once after the pause, also while a fill is scheduled',
      run: (state) => {
        afterRound(state);
        state.onSlotFreed(1_020);
        return state.onSlotFreed(1_000 + FILL_INTERVAL_MS);
      },
      result: 0,
    },
    {
      title: 'is filled at once after a round that filled all slots',
      run: (state) => {
        state.onClaimed('local', { slots: 2, filled: 2 }, 1_000);
        return state.onSlotFreed(1_001);
      },
      result: 0,
    },
    {
      title: 'is filled at once after runs were enqueued, where workers are connected',
      run: (state) => {
        state.onEnqueued(3, true, 1_000);
        return state.onSlotFreed(1_001);
      },
      result: 0,
    },
    {
      title: 'is filled after a pause when runs were enqueued without a worker here',
      run: (state) => {
        state.onEnqueued(3, false, 1_000);
        return state.onSlotFreed(1_010);
      },
      result: FILL_INTERVAL_MS - 10,
    },
    {
      title: 'is ignored when no backlog remains',
      run: (state) => {
        state.onBacklog();
        state.onBacklogEmpty();
        return state.onSlotFreed(0);
      },
      result: null,
    },
    {
      title: 'is filled after a job of the queue',
      run: (state) => {
        state.onQueueJob(0);
        return state.onSlotFreed(0);
      },
      result: 0,
    },
    {
      title: 'is ignored when another job of the queue follows within the interval',
      run: (state) => {
        state.onQueueJob(0);
        state.onBacklogEmpty();
        state.onQueueJob(QUEUE_JOB_INTERVAL_MS - 1);
        return state.onSlotFreed(QUEUE_JOB_INTERVAL_MS);
      },
      result: null,
    },
  ];

  it.each(sequences)('$title', ({ run, result }) => {
    expect(run(new FleetDispatchState())).toBe(result);
  });
});

describe('rounds', () => {
  const sequences: readonly Sequence[] = [
    { title: 'are run by the first request', run: (state) => state.requestRound('local'), result: true },
    {
      title: 'do not overlap: a request during a round is taken after it',
      run: (state) => {
        state.requestRound('local');
        return [state.nextRound(), state.requestRound('local'), state.nextRound(), state.nextRound()];
      },
      result: ['local', false, 'local', null],
    },
    {
      title: 'are shared when any request during a round is',
      run: (state) => {
        state.requestRound('local');
        state.nextRound();
        state.requestRound('shared');
        state.requestRound('local');
        return state.nextRound();
      },
      result: 'shared',
    },
    {
      title: 'are repeated after a shared one that filled all slots',
      run: (state) => {
        state.requestRound('shared');
        state.nextRound();
        return [state.onClaimed('shared', { slots: 2, filled: 2 }, 0), state.nextRound()];
      },
      result: [false, 'shared'],
    },
    {
      title: 'end after a local one that filled all slots',
      run: (state) => {
        state.requestRound('local');
        state.nextRound();
        return [state.onClaimed('local', { slots: 2, filled: 2 }, 0), state.nextRound()];
      },
      result: [false, null],
    },
    {
      title: 'forget their requests when one fails',
      run: (state) => {
        state.requestRound('shared');
        state.endRounds();
        return [state.requestRound('local'), state.nextRound()];
      },
      result: [true, 'local'],
    },
    {
      title: 'check the backlog when they find no run',
      run: (state) => [
        state.onClaimed('local', { slots: 2, filled: 0 }, 0),
        state.onClaimed('local', { slots: 2, filled: 1 }, 0),
        state.onEnqueued(0, true, 0),
        state.onEnqueued(1, false, 0),
      ],
      result: [true, false, true, false],
    },
  ];

  it.each(sequences)('$title', ({ run, result }) => {
    expect(run(new FleetDispatchState())).toEqual(result);
  });
});
