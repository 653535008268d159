import type { Pod, PodStatus } from './kube-pod.ts';
import { isOnLostNode, podProblem, podTermination } from './pod-problem.ts';
import { recordedPods } from './testing/recorded-pods.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

const pod = (status: PodStatus, deletionTimestamp?: string): Pod => ({
  metadata: { name: 'w', uid: 'u', resourceVersion: '1', creationTimestamp: ago(900), deletionTimestamp },
  spec: { nodeName: 'node-1' },
  status,
});

describe('podProblem', () => {
  test.each<[string, PodStatus, string | null, RegExp]>([
    ['no node takes', recordedPods.unschedulable, 'Unschedulable', /^0\/3 nodes are available: .*Insufficient cpu/],
    ['has a missing image', recordedPods.pullFailed, 'ImagePullFailed', /^example.invalid\/none:1: failed to pull/],
    [
      'waits before it pulls again',
      recordedPods.backingOffFromPull,
      'ImagePullFailed',
      /^example.invalid\/none:1: Back-off pulling image/,
    ],
    ['wants a Secret that is not there', recordedPods.noSuchSecret, 'CreateFailed', /^secret "none" not found$/],
    ['ended', recordedPods.outOfMemory, null, /^$/],
    ['is well', { phase: 'Running' }, null, /^$/],
  ])('that %s', (_, status, reason, message) => {
    const trouble = podProblem(pod(status));
    expect(trouble?.reason ?? null).toBe(reason);
    expect(trouble?.message ?? '').toMatch(message);
  });
});

describe('isOnLostNode', () => {
  const running = { phase: 'Running' as const };
  test.each<[string, Pod, boolean]>([
    ['when the node controller speaks for a silent kubelet', pod(recordedPods.nodeUnreachable), true],
    ['not when a kubelet says that a container is not ready', pod(recordedPods.backingOffFromPull), false],
    ['not when a pod ended', pod(recordedPods.outOfMemory), false],
    ['when a pod was not deleted in time', pod(running, ago(16)), true],
    ['not while its grace lasts', pod(running, ago(-5)), false],
  ])('%s', (_, pod, lost) => {
    expect(isOnLostNode(pod, now)).toBe(lost);
  });
});

describe('podTermination', () => {
  const disrupted = (reason: string, message: string): PodStatus => ({
    phase: 'Running',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
  });
  test.each<[string, PodStatus, { isRemoved?: boolean; isNodeLost?: boolean }, string, string | undefined]>([
    [
      'of memory',
      recordedPods.outOfMemory,
      {},
      'out of memory: its container exceeded the memory limit',
      'OutOfMemory',
    ],
    ['by its own code', recordedPods.exitCode3, {}, 'exit code 3', undefined],
    [
      'before it began',
      recordedPods.noSuchProgram,
      {},
      expect.stringMatching(/^StartError, exit code 128: .*no such file/),
      'CreateFailed',
    ],
    [
      'with its node',
      recordedPods.nodeUnreachable,
      { isRemoved: true, isNodeLost: true },
      'its node node-1 is gone',
      'NodeLost',
    ],
    [
      'by an eviction',
      disrupted('EvictionByEvictionAPI', 'Eviction API: evicting'),
      { isRemoved: true },
      'evicted: Eviction API: evicting',
      'Evicted',
    ],
    [
      'by the collector of pods without a node',
      disrupted('DeletionByPodGC', 'PodGC: node no longer exists'),
      { isRemoved: true },
      'its node is gone: PodGC: node no longer exists',
      'NodeLost',
    ],
    [
      'by a node short of something',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      {},
      'evicted: The node was low on resource: memory.',
      'Evicted',
    ],
    [
      'refused by its node',
      { phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough resource: cpu' },
      {},
      'Node did not have enough resource: cpu',
      'CreateFailed',
    ],
    ['deleted by a user', { phase: 'Running' }, { isRemoved: true }, 'its pod was deleted', undefined],
    ['deleted before its start', { phase: 'Pending' }, { isRemoved: true }, 'deleted before its start', undefined],
  ])('%s', (_, status, { isRemoved = false, isNodeLost = false }, description, reason) => {
    expect(podTermination(pod(status), { isRemoved, isNodeLost })).toMatchObject({
      description,
      ...(reason && { reason }),
    });
    expect(podTermination(pod(status), { isRemoved, isNodeLost }).reason).toBe(reason);
  });

  test('is that of the worker, not of its sidecars', () => {
    const ended = (name: string, exitCode: number, reason?: string) => ({
      name,
      state: { terminated: { exitCode, ...(reason && { reason }) } },
    });
    const withStatus = (status: PodStatus): Pod => {
      const { metadata, spec } = pod(status);
      return { metadata, spec: { ...spec, containers: [{ name: 'worker' }] }, status };
    };
    const end = (status: PodStatus) => podTermination(withStatus(status), { isRemoved: false, isNodeLost: false });
    const slots = [ended('slot-0', 143)];
    const containerStatuses = [ended('proxy', 2), ended('worker', 0)];
    const status: PodStatus = { phase: 'Failed', initContainerStatuses: slots, containerStatuses };
    expect(end(status).description).toBe('exit code 0');
    expect(end({ ...status, initContainerStatuses: [ended('slot-0', 137, 'OOMKilled')] }).reason).toBe('OutOfMemory');
    expect(end({ phase: 'Failed', initContainerStatuses: [ended('init', 4)] }).description).toBe('exit code 4');
  });

  test('reports the lifetime of the process', () => {
    expect(podTermination(pod(recordedPods.outOfMemory), { isRemoved: false, isNodeLost: false }).ageMs).toBe(2_000);
    expect(podTermination(pod(recordedPods.noSuchProgram), { isRemoved: false, isNodeLost: false }).ageMs).toBe(0);
  });
});
