import {
  modelProtocols,
  type ModelChoice,
  type ModelProtocol,
  type ProjectModels,
} from '@pilothouse/contract/model/model-settings.schema';
import type { ModelRequest, ModelRole } from '@pilothouse/contract/model/model.schema';
import {
  registeredChoice,
  selectRegisteredModel,
  type RegistryRule,
  type RegistrySelection,
} from '@pilothouse/core/learning/registry/registered-model-selection';

/**
 * Selects models: that of the run, else those of the project for the role, else its default models, else those of the installation.
 * @param project null: the project configures no models
 * @param model of the run; null: none
 */
export const selectModels = (
  role: ModelRole,
  project: ProjectModels | null,
  installation: ModelChoice | undefined,
  model: string | null = null,
): ModelChoice | undefined =>
  model === null ? (project?.[role] ?? project?.default ?? installation) : { use: [model] };

/** Models that a caller may use. */
export interface CallerModels {
  /** Models of the project; null: it configures none. */
  readonly models: ProjectModels | null;
  /** Registered models of the project that are not only registered. */
  readonly registry: readonly RegistryRule[];
  /** Model of the run, which replaces all others; null or missing: none. */
  readonly model?: string | null;
}

/** Models of a call. */
export interface ResolvedModels {
  /** undefined: no model is configured. */
  readonly choice: ModelChoice | undefined;
  /** Base of a registered model, from which it inherits price and capabilities; null: no base. */
  readonly baseOf: (name: string) => string | null;
  /** Experiments of the registry that the caller belongs to. */
  readonly arms: RegistrySelection['arms'];
}

/**
 * Resolves the models of a call: that of the run, else those of the registry, else those of the project or of the installation.
 * @param id run or job; it decides whether the caller uses a canary
 */
export function resolveModels(
  id: string,
  { role, surface = 'browser' }: Pick<ModelRequest, 'role' | 'surface'>,
  { models, registry, model = null }: CallerModels,
  installation: ModelChoice | undefined,
): ResolvedModels {
  const choice = selectModels(role, models, installation, model);
  const { rule, arms }: RegistrySelection =
    model === null ? selectRegisteredModel(registry, { run: id, role, surface }) : { rule: null, arms: [] };
  return {
    choice: rule ? registeredChoice(rule, choice) : choice,
    baseOf: (name) => (name === rule?.model ? rule.base : null),
    arms,
  };
}

/** Applies temperature, token limit, dialect and computer tool of the choice to a request. */
export const applyModelChoice = (
  request: ModelRequest,
  { temperature, maxTokens, dialect, computerTool, disabledSafetyPolicies }: ModelChoice,
): ModelRequest => ({
  ...request,
  ...(request.computer && {
    computer: {
      ...request.computer,
      ...(computerTool && { tool: computerTool }),
      ...(disabledSafetyPolicies && { disabledSafetyPolicies }),
    },
  }),
  temperature: temperature ?? request.temperature,
  dialect: dialect ?? request.dialect,
  maxTokens: maxTokens === undefined ? request.maxTokens : Math.min(maxTokens, request.maxTokens ?? maxTokens),
});

/** Protocol of an endpoint: configured, or derived from its name. */
export const endpointProtocol = (name: string, configured: ModelProtocol | undefined): ModelProtocol | undefined =>
  configured ?? modelProtocols.find((protocol) => protocol === name);
