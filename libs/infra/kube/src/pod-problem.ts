import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import { type ContainerStatus, type Pod, type TerminatedState, isFinished, podCondition } from './kube-pod.ts';
import type { WorkerIssue } from '@pilothouse/core/ports/fleet-driver.port';

/** End of a pod. */
export interface PodTermination {
  /** For people, e.g. `exit code 1`. */
  readonly description: string;
  /** Condition reason, if the cause is known. */
  readonly reason?: ConditionReason;
  /** Lifetime of the process in milliseconds. 0: it never started. */
  readonly ageMs: number;
}

/** Exit code of a process after SIGKILL. */
const SIGKILL_EXIT_CODE = 137;

/** Condition reasons by the reason of the pod condition `DisruptionTarget`. */
const disruptions: Readonly<Record<string, ConditionReason>> = {
  PreemptionByScheduler: 'Evicted',
  EvictionByEvictionAPI: 'Evicted',
  TerminationByKubelet: 'Evicted',
  DeletionByTaintManager: 'Evicted',
  DeletionByPodGC: 'NodeLost',
};

/**
 * Describes how a finished or removed pod ended.
 * @param isRemoved the pod object was removed
 * @param isNodeLost the node no longer responded
 */
export function podTermination(
  pod: Pod,
  { isRemoved: isRemoved, isNodeLost: isNodeLost }: { isRemoved: boolean; isNodeLost: boolean },
): PodTermination {
  const { status } = pod;
  const terminatedContainers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].filter(
    terminated,
  );
  // Other containers end with the worker, often with an error. They decide only if the worker never ran, e.g. a failed init container.
  const decisive =
    terminatedContainers.find((container) => container === workerStatus(pod)) ??
    terminatedContainers.find(({ state }) => state.terminated.exitCode !== 0) ??
    terminatedContainers[0];
  const ageMs = lifetimeMs(pod, decisive?.state.terminated);
  const termination = (reason: ConditionReason, description: string): PodTermination => ({
    description: description,
    reason,
    ageMs: ageMs,
  });

  if (terminatedContainers.some(({ state }) => state.terminated.reason === 'OOMKilled')) {
    return termination('OutOfMemory', 'out of memory: its container exceeded the memory limit');
  }
  if (isNodeLost) return termination('NodeLost', `its node ${pod.spec.nodeName ?? ''} is gone`);
  const disruption = podCondition(pod, 'DisruptionTarget');
  const disrupted = disruption?.status === 'True' ? disruptions[disruption.reason ?? ''] : undefined;
  if (disrupted) {
    const detail = disruption?.message ?? disruption?.reason;
    return termination(disrupted, `${disrupted === 'NodeLost' ? 'its node is gone' : 'evicted'}: ${detail}`);
  }
  if (status.reason === 'Evicted' || status.reason === 'Terminated' || status.reason === 'NodeShutdown') {
    return termination('Evicted', `evicted: ${status.message ?? status.reason}`);
  }
  if (decisive) {
    const description = terminationText(decisive.state.terminated);
    return hasNeverStarted(decisive.state.terminated)
      ? termination('CreateFailed', description)
      : { description: description, ageMs: ageMs };
  }
  if (status.phase === 'Failed') {
    return termination('CreateFailed', status.message ?? status.reason ?? 'rejected by its node');
  }
  return {
    description: isRemoved && status.phase === 'Pending' ? 'deleted before its start' : 'its pod was deleted',
    ageMs: ageMs,
  };
}

/** Status of the first container of the pod. The kubelet sorts the statuses by name. */
const workerStatus = ({ spec, status: { containerStatuses } }: Pod): ContainerStatus | undefined =>
  containerStatuses?.find(({ name }) => name === spec.containers?.[0]?.name) ?? containerStatuses?.[0];

type TerminatedContainer = ContainerStatus & { state: { terminated: TerminatedState } };
const terminated = (container: ContainerStatus): container is TerminatedContainer =>
  container.state?.terminated !== undefined;

/** True if the runtime could not start the program: it does not exist or is not executable. */
const hasNeverStarted = ({ reason }: TerminatedState) => reason === 'StartError' || reason === 'ContainerCannotRun';

function terminationText({ exitCode, signal, reason, message }: TerminatedState): string {
  const code = signal
    ? `signal ${signal}`
    : exitCode === SIGKILL_EXIT_CODE
      ? 'killed (exit code 137)'
      : `exit code ${exitCode}`;
  const conditionReason =
    reason === undefined || reason === 'Error' || reason === 'Completed' ? code : `${reason}, ${code}`;
  return message ? `${conditionReason}: ${message.trim()}` : conditionReason;
}

function lifetimeMs(pod: Pod, terminatedContainers: TerminatedState | undefined): number {
  const running = workerStatus(pod)?.state?.running?.startedAt;
  const startedAt = terminatedContainers?.startedAt ?? running;
  if (startedAt === undefined || Date.parse(startedAt) <= 0) return 0;
  const finishedAt =
    terminatedContainers?.finishedAt === undefined ? Date.now() : Date.parse(terminatedContainers.finishedAt);
  return Math.max(0, finishedAt - Date.parse(startedAt));
}

/** Condition reasons by the waiting reason of a container. Other waiting reasons are normal. */
const waitingReasons: Readonly<Record<string, ConditionReason>> = {
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

/** Milliseconds after the grace period until the node of a pod that still exists counts as lost. */
const OVERDUE_MS = 15_000;

/** Returns the problem of an unfinished pod by its status; null: none that has a reason. */
export function podProblem(pod: Pod): WorkerIssue | null {
  if (isFinished(pod)) return null;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const issue = waitingIssue(container);
    if (issue) return issue;
  }
  const scheduled = podCondition(pod, 'PodScheduled');
  if (
    scheduled?.status === 'False' &&
    (scheduled.reason === 'Unschedulable' || scheduled.reason === 'SchedulerError')
  ) {
    return { reason: 'Unschedulable', message: scheduled.message ?? 'No node accepts the pod' };
  }
  return null;
}

function waitingIssue({ image, state }: ContainerStatus): WorkerIssue | null {
  const { reason = '', message } = state?.waiting ?? {};
  const conditionReason = waitingReasons[reason];
  if (!conditionReason) return null;
  const prefix = conditionReason === 'ImagePullFailed' ? `${image}: ` : '';
  return { reason: conditionReason, message: `${prefix}${message ?? reason}` };
}

/**
 * True if the node of a pod is lost: the node controller reports it, or the pod exists long after its grace period.
 * @param now milliseconds since 1970
 */
export function isOnLostNode(pod: Pod, now: number): boolean {
  if (isFinished(pod) || pod.spec.nodeName === undefined) return false;
  const ready = podCondition(pod, 'Ready');
  // A kubelet sets a reason when a pod is not ready. The node controller, acting for a silent kubelet, sets none and keeps
  // `ContainersReady`.
  const isKubeletSilent =
    ready?.status === 'False' && !ready.reason && podCondition(pod, 'ContainersReady')?.status === 'True';
  const { deletionTimestamp } = pod.metadata;
  return isKubeletSilent || (deletionTimestamp !== undefined && now - Date.parse(deletionTimestamp) > OVERDUE_MS);
}
