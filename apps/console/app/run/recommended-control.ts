import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { stepFragment } from '../workflow-document/yaml-path.ts';
import type { StepState } from './run-state.ts';

/** Locator of a control that an error recommends instead of the missing one. */
export interface RecommendedControl {
  role: string;
  name: string;
  exact: true;
}

/** The control that an error recommends; null: none. */
export function recommendedControlOf({
  code,
  details,
}: Pick<ErrorView, 'code' | 'details'>): RecommendedControl | null {
  const suggestion: unknown = details?.['suggestion'];
  if (code !== 'TARGET_NOT_FOUND' || typeof suggestion !== 'object' || suggestion === null) return null;
  const { role, name } = suggestion as Readonly<Record<string, unknown>>;
  return typeof role === 'string' && typeof name === 'string' ? { role, name, exact: true } : null;
}

/** Page of the editor with a draft in which a step uses a control. Nothing is stored until it is saved. */
export function replacementHref(
  workflow: NonNullable<RunView['workflow']>,
  step: Pick<StepState, 'path'>,
  { role, name }: RecommendedControl,
): string {
  const search = new URLSearchParams({ version: String(workflow.version), step: step.path, role, name });
  return `/workflows/${workflow.name}/edit?${String(search)}#${stepFragment(step.path)}`;
}
