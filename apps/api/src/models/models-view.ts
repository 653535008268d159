import type { ModelsView } from '@pilothouse/contract/api/project.routes';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { modelProtocols, type ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { didYouMean } from '@pilothouse/contract/nearest';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { endpointProtocol, parseModelName } from '@pilothouse/model';

/** API view of the endpoints and default models of the installation. */
export function toModelsView({ endpoints, fallback }: Pick<ModelsConfig, 'endpoints' | 'fallback'>): ModelsView {
  const views = Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const protocol = endpoint && endpointProtocol(name, endpoint.protocol);
    return protocol ? [{ name, protocol }] : [];
  });
  return { endpoints: views, use: fallback?.use ?? [] };
}

/**
 * Returns a problem for each model whose endpoint does not exist. The three endpoints with the name of a protocol are valid without a key:
 * the next model of the list is called then.
 */
export function unknownEndpointProblems(
  models: ProjectModels,
  { endpoints }: Pick<ModelsConfig, 'endpoints'>,
): readonly FieldError[] {
  const knownEndpoints = [...new Set([...modelProtocols, ...Object.keys(endpoints)])];
  return Object.entries(models).flatMap(([role, choice]) =>
    (typeof choice === 'object' ? choice.use : []).flatMap((name, index) => {
      const detail = unknownEndpointDetail(name, knownEndpoints);
      return detail === null ? [] : [{ pointer: `/models/${role}/use/${index}`, detail }];
    }),
  );
}

/** Returns a problem if the endpoint of the model of a run is not configured. */
export const runModelProblems = (
  model: string,
  { endpoints }: Pick<ModelsConfig, 'endpoints'>,
): readonly FieldError[] => {
  const detail = unknownEndpointDetail(model, Object.keys(endpoints));
  return detail === null ? [] : [{ pointer: '/model', detail }];
};

function unknownEndpointDetail(name: string, endpoints: readonly string[]): string | null {
  const endpoint = parseModelName(name)?.endpoint ?? name;
  if (endpoints.includes(endpoint)) return null;
  const suggestion = didYouMean(endpoint, endpoints);
  return `Endpoint ${endpoint} not found.${suggestion ? ` ${suggestion}` : ''} Configured: ${endpoints.join(', ') || 'none'}.`;
}
