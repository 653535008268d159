import {
  type FieldError,
  type ModelChoice,
  type ModelProtocol,
  type ModelRequest,
  type ModelRole,
  type ModelsView,
  type ProjectModels,
  modelProtocols,
} from '@pilothouse/contract';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { parseModelName } from '@pilothouse/model';

/**
 * Selects models: those of the project for the role, else its default models, else those of the installation.
 * @param project null: the project configures no models
 */
export const selectModels = (
  role: ModelRole,
  project: ProjectModels | null,
  installation: ModelChoice | undefined,
): ModelChoice | undefined => project?.[role] ?? project?.default ?? installation;

/** Applies temperature, token limit and dialect of the choice to a request. */
export const applyModelChoice = (
  request: ModelRequest,
  { temperature, maxTokens, dialect }: ModelChoice,
): ModelRequest => ({
  ...request,
  temperature: temperature ?? request.temperature,
  dialect: dialect ?? request.dialect,
  maxTokens: maxTokens === undefined ? request.maxTokens : Math.min(maxTokens, request.maxTokens ?? maxTokens),
});

/** API view of the endpoints and default models of the installation. */
export function toModelsView({ endpoints, fallback }: Pick<ModelsConfig, 'endpoints' | 'fallback'>): ModelsView {
  const views = Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const protocol = endpoint && endpointProtocol(name, endpoint.protocol);
    return protocol ? [{ name, protocol }] : [];
  });
  return { endpoints: views, use: fallback?.use ?? [] };
}

/** Protocol of an endpoint: configured, or derived from its name. */
export const endpointProtocol = (name: string, configured: ModelProtocol | undefined): ModelProtocol | undefined =>
  configured ?? modelProtocols.find((one) => one === name);

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
      const endpoint = parseModelName(name)?.endpoint ?? name;
      if (knownEndpoints.includes(endpoint)) return [];
      const detail = `There is no endpoint ${endpoint} in this installation; it has ${knownEndpoints.join(', ')}`;
      return [{ pointer: `/models/${role}/use/${index}`, detail }];
    }),
  );
}
