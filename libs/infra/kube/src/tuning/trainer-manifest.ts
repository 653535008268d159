import { createHash } from 'node:crypto';
import type { Trainer, TrainerKind } from '@pilothouse/contract/learning/trainer.schema';
import type { TuningFile, TuningRequest } from '@pilothouse/core/ports/tuner.port';

/** Label with the id of the job of the job runner. */
export const JOB_LABEL = 'pilothouse.dev/job';

/** Annotation with the name of the tuned model. */
export const MODEL_ANNOTATION = 'pilothouse.dev/model';

/** Label by which network policies select the pods of trainers. */
const COMPONENT_LABELS = { 'app.kubernetes.io/name': 'pilothouse', 'app.kubernetes.io/component': 'trainer' };

/** Default limit of a tuning job and of the life of its finished Job: signed URLs are valid as long. */
export const MAX_TRAINER_SECONDS = 7 * 24 * 3600;

/** API of each kind. */
export const trainerApis = {
  Job: { apiVersion: 'batch/v1', path: '/apis/batch/v1', plural: 'jobs', podLabel: 'batch.kubernetes.io/job-name' },
  TrainJob: {
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    path: '/apis/trainer.kubeflow.org/v1alpha1',
    plural: 'trainjobs',
    podLabel: 'jobset.sigs.k8s.io/jobset-name',
  },
} as const satisfies Record<TrainerKind, object>;

/** Name of the object of a job. Pods add up to 30 characters to it, of at most 63. */
export const trainerObjectName = (key: string): string =>
  `tune-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;

interface Variable {
  readonly name: string;
  readonly value: string;
}

interface Container {
  readonly env?: readonly { readonly name: string }[] | undefined;
  readonly securityContext?: object | undefined;
}

/** Environment variables of the containers. A missing value is empty. */
function trainerVariables(request: TuningRequest, resultUrl: string): Variable[] {
  const { key, displayName, baseModel, method, training, validation, hyperparameters } = request;
  const { epochs, learningRate, adapterSize, beta } = hyperparameters;
  const values = {
    JOB: key,
    MODEL_NAME: displayName,
    BASE_MODEL: baseModel,
    METHOD: method,
    TRAINING_URL: addressOf(training),
    VALIDATION_URL: validation ? addressOf(validation) : '',
    RESULT_URL: resultUrl,
    EPOCHS: epochs ?? '',
    LEARNING_RATE: learningRate ?? '',
    ADAPTER_SIZE: adapterSize ?? '',
    BETA: beta ?? '',
  };
  // Kubernetes expands `$(NAME)` in values: a doubled dollar sign stays one.
  return Object.entries(values).map(([name, value]) => ({
    name: `PILOTHOUSE_${name}`,
    value: String(value).replaceAll('$', '$$$$'),
  }));
}

const addressOf = ({ uri, url }: TuningFile): string => uri ?? url ?? '';

/** Object to create for a request: the template with variables, labels and secure defaults. The template takes precedence. */
export function trainerManifest(trainer: Trainer, request: TuningRequest, resultUrl: string): object {
  const { key, displayName } = request;
  const variables = trainerVariables(request, resultUrl);
  const { apiVersion } = trainerApis[trainer.kind];
  const labels = {
    ...COMPONENT_LABELS,
    'app.kubernetes.io/managed-by': 'pilothouse-jobs',
    [JOB_LABEL]: key,
    'pilothouse.dev/trainer': trainer.name,
  };
  const { metadata } = trainer.template;
  const common = {
    apiVersion,
    kind: trainer.kind,
    metadata: {
      ...metadata,
      name: trainerObjectName(key),
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, [MODEL_ANNOTATION]: displayName },
    },
  };
  if (trainer.kind === 'TrainJob') {
    const { spec } = trainer.template;
    return { ...common, spec: { ...spec, trainer: withVariables(spec.trainer ?? {}, variables) } };
  }
  const { spec } = trainer.template;
  const pod = spec.template;
  const containersOf = (containers: readonly Container[]) =>
    containers.map((container) => withSecurity(withVariables(container, variables)));
  return {
    ...common,
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: MAX_TRAINER_SECONDS,
      ttlSecondsAfterFinished: MAX_TRAINER_SECONDS,
      ...spec,
      template: {
        ...pod,
        metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, ...labels } },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...pod.spec,
          securityContext: {
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            ...pod.spec.securityContext,
          },
          containers: containersOf(pod.spec.containers),
          ...(pod.spec.initContainers && { initContainers: containersOf(pod.spec.initContainers) }),
        },
      },
    },
  };
}

/** The variables come first: those of the template can refer to them. */
const withVariables = (container: Container, variables: readonly Variable[]): Container => ({
  ...container,
  env: [...variables, ...(container.env ?? [])],
});

const withSecurity = (container: Container): Container => ({
  ...container,
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...container.securityContext },
});
