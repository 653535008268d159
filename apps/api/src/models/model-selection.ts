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
 * Which models are asked: those of the project for the role, else those of the project for everything, else those of the installation.
 * @param project null: it says nothing
 */
export const selectModels = (
  role: ModelRole,
  project: ProjectModels | null,
  installation: ModelChoice | undefined,
): ModelChoice | undefined => project?.[role] ?? project?.default ?? installation;

/** The request as the choice wants it asked. */
export const applyModelChoice = (
  request: ModelRequest,
  { temperature, maxTokens, dialect }: ModelChoice,
): ModelRequest => ({
  ...request,
  temperature: temperature ?? request.temperature,
  dialect: dialect ?? request.dialect,
  maxTokens: maxTokens === undefined ? request.maxTokens : Math.min(maxTokens, request.maxTokens ?? maxTokens),
});

/** The endpoints of the installation, and what it asks, as clients see them. */
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
 * Where models name an endpoint that the installation has not. The three that are called like their protocol may be named before they have a
 * key: the next model of the list is asked then.
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
