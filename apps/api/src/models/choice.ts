import type { ModelChoice, ModelRequest, ModelRole, ProjectModels } from '@pilothouse/contract';

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
