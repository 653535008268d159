import type { Trainer } from '@pilothouse/contract/learning/trainer.schema';
import type { Pod } from '../kube-pod.ts';

/** Name of the replicated job and of the container that train in a TrainJob. */
const TRAIN_JOB_NODE = 'node';

/** Sorts the pods of a tuning job: the pod with its log first. Of several attempts it is the newest. */
export const sortTrainerPods = (pods: readonly Pod[]): Pod[] =>
  pods.toSorted(
    (first, second) =>
      preparationRank(first) - preparationRank(second) ||
      completionIndex(first) - completionIndex(second) ||
      createdAt(second) - createdAt(first) ||
      first.metadata.name.localeCompare(second.metadata.name),
  );

/** The first node of a TrainJob has the log of the tuning job. Its other pods prepare model and data. */
const preparationRank = ({ metadata: { labels = {} } }: Pod): number =>
  (labels['jobset.sigs.k8s.io/replicatedjob-name'] ?? TRAIN_JOB_NODE) === TRAIN_JOB_NODE ? 0 : 1;

/** Index of a node; 0 for a Job without indexes. */
const completionIndex = ({ metadata: { labels = {} } }: Pod): number =>
  Number(labels['batch.kubernetes.io/job-completion-index'] ?? 0) || 0;

const createdAt = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp);

/** Name of the container whose log is that of the tuning job; undefined: the pod has not started. */
export function trainerContainer(trainer: Trainer, { status: { containerStatuses = [] } }: Pod): string | undefined {
  const expected = trainer.kind === 'Job' ? trainer.template.spec.template.spec.containers[0]?.name : TRAIN_JOB_NODE;
  return (containerStatuses.find(({ name }) => name === expected) ?? containerStatuses[0])?.name;
}
