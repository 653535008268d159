import type { ChangeProject } from '@pilothouse/contract';

/** A part of the form that makes no sense: its field, and how to mend it. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** A whole number from 1, or null where the field is empty. @throws FormProblem */
function wholeOf(field: string, text: string): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new FormProblem(field, 'Write a whole number from 1, or leave it empty');
  return number;
}

/**
 * A change of the project, as its form says it: everything on the form, whether it changed or not.
 * @param text what stands in a field
 * @throws FormProblem
 */
export function projectChange(text: (field: string) => string): ChangeProject {
  const hosts = text('allow')
    .split(/[\s,]+/)
    .filter(Boolean);
  let models: unknown = null;
  try {
    if (text('models').trim() !== '') models = JSON.parse(text('models'));
  } catch {
    throw new FormProblem(
      'models',
      'Write JSON, e.g. {"default": {"use": ["gemini/gemini-2.5-flash"]}}, or leave it empty',
    );
  }
  return {
    maxRunning: wholeOf('maxRunning', text('maxRunning')),
    keep: {
      runsDays: wholeOf('runsDays', text('runsDays')),
      eventsDays: wholeOf('eventsDays', text('eventsDays')),
      artifactsDays: wholeOf('artifactsDays', text('artifactsDays')),
    },
    egress: { allow: text('reach') === 'listed' ? hosts : null },
    models: models as ChangeProject['models'],
  };
}
