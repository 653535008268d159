import type { ConditionReason } from '@pilothouse/contract';
import { type ContainerStatus, type Pod, type TerminatedState, isFinished, podCondition } from './kube-pod.ts';
import type { WorkerIssue } from '@pilothouse/core';

/** How a pod ended. */
export interface PodTermination {
  /** In words, e.g. `exit code 1`. */
  readonly how: string;
  /** What ended it, where that has a name. */
  readonly reason?: ConditionReason;
  /** Milliseconds that its process lived; 0 where it never began. */
  readonly age: number;
}

/** Exit code of a process that was killed. */
const KILLED = 137;

/** Why the API server or its controllers had a pod go (the reason of its condition `DisruptionTarget`). */
const disruptions: Readonly<Record<string, ConditionReason>> = {
  PreemptionByScheduler: 'Evicted',
  EvictionByEvictionAPI: 'Evicted',
  TerminationByKubelet: 'Evicted',
  DeletionByTaintManager: 'Evicted',
  DeletionByPodGC: 'NodeLost',
};

/**
 * How a pod ended that is finished, or whose record is gone.
 * @param gone whether its record is removed
 * @param lost whether its machine no longer answered
 */
export function podTermination(pod: Pod, { gone, lost }: { gone: boolean; lost: boolean }): PodTermination {
  const { status } = pod;
  const ended = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].filter(terminated);
  const worst = ended.find(({ state }) => state.terminated.exitCode !== 0) ?? ended[0];
  const age = livedFor(pod, worst?.state.terminated);
  const because = (reason: ConditionReason, how: string): PodTermination => ({ how, reason, age });

  if (ended.some(({ state }) => state.terminated.reason === 'OOMKilled')) {
    return because('OutOfMemory', 'out of memory: its container took more than its limit');
  }
  if (lost) return because('NodeLost', `its node ${pod.spec.nodeName ?? ''} is gone`);
  const disruption = podCondition(pod, 'DisruptionTarget');
  const disrupted = disruption?.status === 'True' ? disruptions[disruption.reason ?? ''] : undefined;
  if (disrupted) {
    const why = disruption?.message ?? disruption?.reason;
    return because(disrupted, `${disrupted === 'NodeLost' ? 'its node is gone' : 'evicted'}: ${why}`);
  }
  if (status.reason === 'Evicted' || status.reason === 'Terminated' || status.reason === 'NodeShutdown') {
    return because('Evicted', `evicted: ${status.message ?? status.reason}`);
  }
  if (worst) {
    const how = words(worst.state.terminated);
    return neverBegan(worst.state.terminated) ? because('CreateFailed', how) : { how, age };
  }
  if (status.phase === 'Failed') {
    return because('CreateFailed', status.message ?? status.reason ?? 'its node refused it');
  }
  return { how: gone && status.phase === 'Pending' ? 'deleted before it began' : 'its pod was deleted', age };
}

type Ended = ContainerStatus & { state: { terminated: TerminatedState } };
const terminated = (container: ContainerStatus): container is Ended => container.state?.terminated !== undefined;

/** The runtime could not start it: there is no such program, or it may not be run. */
const neverBegan = ({ reason }: TerminatedState) => reason === 'StartError' || reason === 'ContainerCannotRun';

function words({ exitCode, signal, reason, message }: TerminatedState): string {
  const code = signal ? `signal ${signal}` : exitCode === KILLED ? 'killed (exit code 137)' : `exit code ${exitCode}`;
  const named = reason === undefined || reason === 'Error' || reason === 'Completed' ? code : `${reason}, ${code}`;
  return message ? `${named}: ${message.trim()}` : named;
}

function livedFor({ status }: Pod, ended: TerminatedState | undefined): number {
  const running = status.containerStatuses?.[0]?.state?.running?.startedAt;
  const began = ended?.startedAt ?? running;
  if (began === undefined || Date.parse(began) <= 0) return 0;
  const until = ended?.finishedAt === undefined ? Date.now() : Date.parse(ended.finishedAt);
  return Math.max(0, until - Date.parse(began));
}

/** Words of the kubelet for a container that waits, where they mean that something is wrong. */
const waitingFor: Readonly<Record<string, ConditionReason>> = {
  ErrImagePull: 'ImagePullFailed',
  ImagePullBackOff: 'ImagePullFailed',
  InvalidImageName: 'ImagePullFailed',
  ErrImageNeverPull: 'ImagePullFailed',
  ImageInspectError: 'ImagePullFailed',
  RegistryUnavailable: 'ImagePullFailed',
  SignatureValidationFailed: 'ImagePullFailed',
  CrashLoopBackOff: 'CrashLoop',
  CreateContainerConfigError: 'CreateFailed',
  CreateContainerError: 'CreateFailed',
  PreCreateHookError: 'CreateFailed',
  PostStartHookError: 'CreateFailed',
  RunContainerError: 'CreateFailed',
};

/** Milliseconds after its grace until a machine that has not ended a pod counts as lost. */
const OVERDUE_MS = 15_000;

/** What is wrong with a pod that has not ended, from its status alone; null: nothing that has a name. */
export function podProblem(pod: Pod): WorkerIssue | null {
  if (isFinished(pod)) return null;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const trouble = waiting(container);
    if (trouble) return trouble;
  }
  const scheduled = podCondition(pod, 'PodScheduled');
  if (
    scheduled?.status === 'False' &&
    (scheduled.reason === 'Unschedulable' || scheduled.reason === 'SchedulerError')
  ) {
    return { reason: 'Unschedulable', message: scheduled.message ?? 'No node takes the pod' };
  }
  return null;
}

function waiting({ image, state }: ContainerStatus): WorkerIssue | null {
  const { reason = '', message } = state?.waiting ?? {};
  const named = waitingFor[reason];
  if (!named) return null;
  const what = named === 'ImagePullFailed' ? `${image}: ` : '';
  return { reason: named, message: `${what}${message ?? reason}` };
}

/**
 * Whether the machine of a pod is lost, as far as the pod tells: the node controller says so, or nobody ended the pod in time.
 * @param now milliseconds since 1970
 */
export function isOnLostNode(pod: Pod, now: number): boolean {
  if (isFinished(pod) || pod.spec.nodeName === undefined) return false;
  const ready = podCondition(pod, 'Ready');
  // A kubelet gives a reason when a pod is not ready; the node controller, which says it for a silent kubelet, gives none and leaves
  // its containers ready.
  const silent = ready?.status === 'False' && !ready.reason && podCondition(pod, 'ContainersReady')?.status === 'True';
  const { deletionTimestamp } = pod.metadata;
  return silent || (deletionTimestamp !== undefined && now - Date.parse(deletionTimestamp) > OVERDUE_MS);
}
