import type { StartTuning, TunerKind } from '@pilothouse/contract/learning/tuning.schema';

export const tunerLabels: Readonly<Record<TunerKind, string>> = {
  vertex: 'Vertex AI',
  openai: 'OpenAI-compatible',
  together: 'Together',
  fireworks: 'Fireworks',
  kubernetes: 'Kubernetes',
};

/** Hyperparameters of the form, with their labels. */
export const hyperparameterFields = [
  { name: 'epochs', label: 'Epochs' },
  { name: 'learningRate', label: 'Learning rate (Together, Fireworks, Kubernetes)' },
  { name: 'learningRateMultiplier', label: 'Learning rate multiplier (Vertex AI, OpenAI-compatible)' },
  { name: 'adapterSize', label: 'Adapter size (LoRA rank)' },
  { name: 'beta', label: 'Beta (preference pairs)' },
] as const;

/** Values of the form. A value of the wrong type is refused by the API, which names the field. */
export function tuningRequestOf(text: (field: string) => string): StartTuning {
  const optional = (field: string) => {
    const value = text(field).trim();
    return value === '' ? {} : { [field]: value };
  };
  const numbers = hyperparameterFields.flatMap(({ name }) => {
    const value = text(name).trim();
    return value === '' ? [] : [[name, Number.isNaN(Number(value)) ? value : Number(value)]];
  });
  const validation = text('validation').trim();
  return {
    ...{ name: text('name').trim(), tuner: text('tuner'), endpoint: text('endpoint').trim() },
    ...{ baseModel: text('baseModel').trim(), method: text('method'), training: sourceOf(text('training').trim()) },
    ...(validation !== '' && { validation: sourceOf(validation) }),
    hyperparameters: Object.fromEntries(numbers) as StartTuning['hyperparameters'],
    ...optional('role'),
    ...optional('surface'),
    ...optional('trainer'),
    ...optional('dialect'),
  } as StartTuning;
}

/** Prefix of an upload's id in a field. */
export const UPLOAD_PREFIX = 'upload:';

/** Source of examples: an address in a bucket, an upload, or the id of an export. */
function sourceOf(text: string): StartTuning['training'] {
  if (/^(gs|s3):\/\//.test(text)) return { uri: text };
  return text.startsWith(UPLOAD_PREFIX) ? { upload: text.slice(UPLOAD_PREFIX.length) } : { export: text };
}

function sourceText(source: StartTuning['training']): string {
  if ('uri' in source) return source.uri;
  return 'upload' in source ? `${UPLOAD_PREFIX}${source.upload}` : source.export;
}

/** Values of the form for a request, by field. */
export function tuningValuesOf({
  training,
  validation,
  hyperparameters,
  ...rest
}: StartTuning): Readonly<Record<string, string>> {
  const values = {
    ...rest,
    ...hyperparameters,
    training: sourceText(training),
    ...(validation && { validation: sourceText(validation) }),
  };
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value)]));
}

/** Field of the form that a JSON Pointer of the request belongs to. */
export function tuningFieldOf(pointer: string): string {
  const [, first = '', second = ''] = pointer.split('/');
  return first === 'hyperparameters' ? second : first;
}
