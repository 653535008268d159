import type { Pod, PodStatus } from '../kube-pod.ts';
import { readTrainerLog } from './trainer-log.ts';
import { trainerStatus, type TrainerObject } from './trainer-state.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
const metadata = {
  ...{ name: 'tune-1', uid: 'u', resourceVersion: '1', creationTimestamp: new Date(START).toISOString() },
};
const aTrainerObject = (type?: string, reason?: string, message?: string): TrainerObject => ({
  metadata,
  status: { conditions: type === undefined ? [] : [{ type, status: 'True', ...{ reason, message } } as never] },
});
const aPod = (status: PodStatus): Pod => ({ metadata, spec: {}, status });
const waiting = (reason: string, message: string) =>
  aPod({
    phase: 'Pending',
    containerStatuses: [{ name: 'trainer', image: 'trainer:1', state: { waiting: { reason, message } } }],
  });
const ended = (exitCode: number, reason: string) =>
  aPod({ phase: 'Failed', containerStatuses: [{ name: 'trainer', state: { terminated: { exitCode, reason } } }] });
const pullFails = waiting('ImagePullBackOff', 'not found');

test.each<[string, TrainerObject, Pod[], number, object]>([
  ['no pod', aTrainerObject(), [], 0, { status: 'queued', providerStatus: 'Pending' }],
  [
    'a running pod',
    aTrainerObject(),
    [aPod({ phase: 'Running' })],
    0,
    { status: 'running', providerStatus: 'Running' },
  ],
  ['a suspended object', aTrainerObject('Suspended'), [], 0, { status: 'queued', providerStatus: 'Suspended' }],
  ['the end', aTrainerObject('Complete'), [], 0, { status: 'succeeded', error: null }],
  [
    'too little memory',
    aTrainerObject('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
    [ended(137, 'OOMKilled')],
    0,
    { status: 'failed', error: expect.stringContaining('out of memory: its container exceeded the memory limit') },
  ],
  [
    'an error of the program',
    aTrainerObject('Failed', 'BackoffLimitExceeded', 'backoff limit'),
    [ended(3, 'Error')],
    0,
    { status: 'failed', error: 'exit code 3. backoff limit' },
  ],
  [
    'its deadline',
    aTrainerObject('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline'),
    [],
    0,
    { status: 'failed', error: expect.stringContaining('Deadline exceeded') },
  ],
  [
    'an image that is not pulled yet',
    aTrainerObject(),
    [pullFails],
    60_000,
    { status: 'queued', providerStatus: 'ImagePullFailed', isStuck: false },
  ],
  [
    'an image that does not exist',
    aTrainerObject(),
    [pullFails],
    700_000,
    { status: 'failed', error: 'ImagePullFailed: trainer:1: not found', isStuck: true },
  ],
])('state of a tuning job with %s', (_title, object, pods, ageMs, state) => {
  expect(trainerStatus(object, pods, START + ageMs)).toMatchObject(state);
});

test.each([
  ['shortly before', 1_700_000, false],
  ['long before', 1_000_000, true],
])('a defect ends the tuning job by the last change of a condition: %s', (_title, changedMs, isStuck) => {
  const lastTransitionTime = new Date(START + changedMs).toISOString();
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime } as const;
  const pod = aPod({ ...pullFails.status, conditions: [scheduled] });
  expect(trainerStatus(aTrainerObject(), [pod], START + 1_800_000)).toMatchObject({ isStuck });
});

test('a pod that ran is not stuck without the time of a change', () => {
  const container = {
    ...{ name: 'trainer', restartCount: 1, lastState: { terminated: { exitCode: 1 } } },
    state: { waiting: { reason: 'CrashLoopBackOff' } },
  };
  const pod = aPod({ phase: 'Running', containerStatuses: [container] });
  expect(trainerStatus(aTrainerObject(), [pod], START + 86_400_000)).toMatchObject({
    ...{ status: 'queued', providerStatus: 'CrashLoop', isStuck: false },
  });
});

test('a tuning job that waits for a node is not stuck', () => {
  const unschedulable = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: '0/3 nodes',
  } as const;
  const pod = aPod({ phase: 'Pending', conditions: [unschedulable] });
  expect(trainerStatus(aTrainerObject(), [pod], START + 86_400_000)).toMatchObject({
    ...{ status: 'queued', providerStatus: 'Unschedulable', isStuck: false },
  });
});

test('reads metric lines and messages of a log', () => {
  const lines = [
    'loading http://store/a?X-Amz-Signature=0af3&x=1',
    '{"step":1,"steps":4,"loss":2.5}',
    '{"step":"x"}',
    '{"step":2,"steps":4,"loss":1.5,"validation_loss":1.75}',
    '',
  ];
  expect(readTrainerLog(lines.map((line) => `2030-01-01T00:00:00.123456789Z ${line}`).join('\n'))).toEqual({
    loss: [
      { step: 1, trainingLoss: 2.5, validationLoss: null },
      { step: 2, trainingLoss: 1.5, validationLoss: 1.75 },
    ],
    progress: 0.5,
    messages: ['loading http://store/a?X-Amz-Signature=…&x=1', '{"step":"x"}'].map((text) => ({
      ...{ at: '2030-01-01T00:00:00.123Z', text },
    })),
  });
});

test('limits the messages of a log', () => {
  const { messages } = readTrainerLog(
    Array.from({ length: 200 }, (_, n) => `2030-01-01T00:00:00Z ${n} ${'x'.repeat(1000)}`).join('\n'),
  );
  expect([messages.length, messages.at(-1)?.text.length, messages.at(-1)?.text.slice(0, 3)]).toEqual([100, 500, '199']);
});
