import type { TuningState } from '@pilothouse/core/ports/tuner.port';
import type { ObjectMeta, Pod } from '../kube-pod.ts';
import { podProblem, podTermination } from '../pod-problem.ts';

/** A Job or a TrainJob, with the fields that are read. */
export interface TrainerObject {
  readonly metadata: ObjectMeta;
  readonly status?: { readonly conditions?: readonly TrainerCondition[] };
}

interface TrainerCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** Milliseconds after which a defect of a pod, such as an image that does not exist, ends the tuning job. */
const MAX_DEFECT_MS = 10 * 60_000;

/** Defects of a pod that need a change of the trainer. A pod that no node accepts can wait for a node. */
const DEFECTS: ReadonlySet<string> = new Set(['ImagePullFailed', 'CreateFailed', 'CrashLoop']);

/** State of a tuning job by its conditions and its pods. */
export interface TrainerStatus extends Pick<TuningState, 'status' | 'providerStatus' | 'error'> {
  /** The object is active, but cannot succeed: delete it. */
  readonly isStuck: boolean;
}

/** @param now milliseconds since 1970 */
export function trainerStatus({ metadata, status }: TrainerObject, pods: readonly Pod[], now: number): TrainerStatus {
  const condition = (...types: string[]) =>
    status?.conditions?.find(({ type, status }) => types.includes(type) && status === 'True');
  const result = (state: TuningState['status'], providerStatus: string, error: string | null = null) => ({
    ...{ status: state, providerStatus, error, isStuck: false },
  });
  if (condition('Complete')) return result('succeeded', 'Complete');
  const failed = condition('Failed');
  if (failed) return result('failed', failed.reason ?? 'Failed', failureText(failed, pods));
  if (metadata.deletionTimestamp !== undefined) return result('cancelled', 'Deleted');
  if (condition('Suspended')) return result('queued', 'Suspended');
  const [troubled] = pods.flatMap((pod) => {
    const problem = podProblem(pod);
    return problem ? [{ pod, problem }] : [];
  });
  if (troubled) {
    const { pod, problem } = troubled;
    const text = `${problem.reason}: ${problem.message}`;
    const isStuck = DEFECTS.has(problem.reason) && now - defectSince(pod) > MAX_DEFECT_MS;
    return { ...result(isStuck ? 'failed' : 'queued', problem.reason, isStuck ? text : null), isStuck };
  }
  const isRunning = pods.some(({ status: { phase } }) => phase === 'Running' || phase === 'Succeeded');
  return isRunning ? result('running', 'Running') : result('queued', 'Pending');
}

/** Earliest time of the defect of a pod: the last change of a condition. Without one, a pod that ran has no such time. */
function defectSince({ metadata, status: { conditions = [], containerStatuses = [] } }: Pod): number {
  const changes = conditions
    .map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? ''))
    .filter((time) => !Number.isNaN(time));
  if (changes.length > 0) return Math.max(...changes);
  const hasRun = containerStatuses.some(({ restartCount = 0, lastState }) => restartCount > 0 || lastState?.terminated);
  return hasRun ? Infinity : Date.parse(metadata.creationTimestamp);
}

function failureText({ reason, message }: TrainerCondition, pods: readonly Pod[]): string {
  if (reason === 'DeadlineExceeded') return `Deadline exceeded: ${message ?? reason}. Raise activeDeadlineSeconds.`;
  const failed = pods.find(({ status: { phase } }) => phase === 'Failed');
  const end = failed && podTermination(failed, { isRemoved: false, isNodeLost: false }).description;
  return [end, message ?? reason].filter(Boolean).join('. ');
}
