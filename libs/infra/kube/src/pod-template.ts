import { createHash } from 'node:crypto';
import { parse } from 'yaml';

/** A PodTemplateSpec with the fields that the driver extends. All other fields are passed to the API server unchanged. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly ContainerSpec[];
    readonly volumes?: readonly object[];
  };
}

export interface ContainerSpec {
  readonly name: string;
  readonly env?: readonly { readonly name: string }[];
  readonly volumeMounts?: readonly object[];
}

/** @throws Error that describes the defect */
export function readPodTemplate(text: string): PodTemplate {
  const value: unknown = parse(text);
  if (!isRecord(value)) throw new Error('it is not a YAML mapping');
  const { spec } = value;
  if (!isRecord(spec)) throw new Error('it has no spec');
  const { containers } = spec;
  if (!Array.isArray(containers) || containers.length === 0) throw new Error('its spec has no containers');
  return value as unknown as PodTemplate;
}

/** Ten hexadecimal characters that identify the content of a template. The order of keys does not matter. */
export const templateHash = (template: PodTemplate): string =>
  createHash('sha256')
    .update(JSON.stringify(template, (_, value: unknown) => (isRecord(value) ? sortKeys(value) : value)))
    .digest('hex')
    .slice(0, 10);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sortKeys = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
