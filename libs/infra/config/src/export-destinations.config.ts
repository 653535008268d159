import {
  exportDestinationsSchema,
  type ExportDestinationConfig,
} from '@pilothouse/contract/learning/export-destination.schema';
import { z } from 'zod';
import { readEnvironment, type Environment } from './read-environment.ts';
import { jsonVariable } from './variable-types.ts';

/** Variables of the destinations of exports. */
export const exportDestinationSettings = {
  PILOTHOUSE_EXPORT_DESTINATIONS: jsonVariable(exportDestinationsSchema).default({}),
};

/** Destinations by name, without credentials. */
export type ExportDestinations = Readonly<Record<string, ExportDestinationConfig>>;

/** A destination with its credentials. */
export interface DestinationConfig {
  readonly config: ExportDestinationConfig;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Service account for Cloud Storage. Undefined: the identity of the machine. */
  readonly keyFile: string | undefined;
}

const variableOf = (name: string, key: string): string =>
  `DESTINATION_${name.toUpperCase().replaceAll('-', '_')}_${key}`;

/** Adds the credentials. @throws ConfigError if an S3 destination has no keys */
export function toDestinations(
  destinations: ExportDestinations,
  keyFile: string | undefined,
  environment: Environment,
): Readonly<Record<string, DestinationConfig>> {
  const entries = Object.entries(destinations).map(([name, config]) => {
    const names = { access: variableOf(name, 'ACCESS_KEY'), secret: variableOf(name, 'SECRET_KEY') };
    const key = config.kind === 's3' ? z.string() : z.string().default('');
    const keys = readEnvironment(z.object({ [names.access]: key, [names.secret]: key }), environment);
    const [accessKey, secretKey] = [keys[names.access] ?? '', keys[names.secret] ?? ''];
    return [name, { config, accessKey, secretKey, keyFile }] as const;
  });
  return Object.fromEntries(entries);
}
