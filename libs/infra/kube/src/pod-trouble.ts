import type { ConditionReason } from '@pilothouse/contract';
import type { WorkerIssue } from '@pilothouse/core';
import { isFinished, podCondition, type ContainerStatus, type Pod } from './pod.ts';

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
