import type { Dialect, ModelChoice, ModelRole, ProjectModels } from '@pilothouse/contract';
import { FormProblem } from '../shared/form-problem.ts';
import { numberOf } from '../shared/number-field.ts';

/** What models are asked for, and how a choice for it is named: for what is not named there is `default`. */
export const modelRoleRows: readonly { role: ModelRole | 'default'; name: string; description: string }[] = [
  { role: 'default', name: 'Everything else', description: 'What has no choice of its own' },
  { role: 'plan', name: 'Plan', description: 'Which steps lead to a goal' },
  { role: 'act', name: 'Act', description: 'The next actions' },
  { role: 'vision', name: 'See', description: 'What a screenshot shows' },
  { role: 'verify', name: 'Verify', description: 'Whether a step worked' },
  { role: 'synthesize', name: 'Synthesize', description: 'Turns recordings into workflows' },
  { role: 'score', name: 'Score', description: 'How good a result is' },
];

/** The numbers of a choice, by their fields: how much of them makes sense is for the API to say. */
export const numbers = [
  { key: 'maxTokens', name: 'Most tokens', isInteger: true },
  { key: 'temperature', name: 'Temperature', isInteger: false },
  { key: 'hedgeMs', name: 'Second call after, ms', isInteger: true },
] as const;

/** How models may write actions, for people. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  calls: 'As function calls',
  aura: 'As JSON',
  'ui-tars-1.5': 'UI-TARS 1.5',
  'ui-tars': 'UI-TARS',
  'echo-prism': 'EchoPrism',
  deskpilot: 'DeskPilot',
};

/** Name of a field of the form. */
export const modelField = (role: string, key: string): string => `models.${role}.${key}`;

/**
 * The models of a project as their form says them; null: none.
 * @param text what stands in a field
 * @throws FormProblem
 */
export function modelsOf(text: (field: string) => string): ProjectModels | null {
  const choices = modelRoleRows.flatMap(({ role }) => {
    const choice = choiceOf(role, text);
    return choice ? [[role, choice] as const] : [];
  });
  const trace = text('models.trace') === 'full' ? { trace: 'full' as const } : {};
  const models: ProjectModels = { ...Object.fromEntries(choices), ...trace };
  return Object.keys(models).length === 0 ? null : models;
}

function choiceOf(role: string, text: (field: string) => string): ModelChoice | null {
  const use = text(modelField(role, 'use'))
    .split(/[\s,]+/)
    .filter(Boolean);
  const options = numbers.flatMap(({ key, isInteger }) => {
    const field = modelField(role, key);
    const value = numberOf(field, text(field), { isInteger });
    return value === null ? [] : [[key, value] as const];
  });
  const dialect = Object.keys(dialectNames).find((one) => one === text(modelField(role, 'dialect'))) as
    Dialect | undefined;
  if (use.length === 0 && (options.length > 0 || dialect))
    throw new FormProblem(modelField(role, 'use'), 'Name a model: the rest of the row is of its calls');
  return use.length === 0 ? null : { use, ...(dialect && { dialect }), ...Object.fromEntries(options) };
}

/** The field of the form that a problem of the API is about, e.g. of `/models/act/use/0`. */
export function modelFieldOf(pointer: string): string | null {
  const [, part, role, key] = pointer.split('/');
  return part === 'models' && role !== undefined && key !== undefined ? modelField(role, key) : null;
}
