import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';
import { surfacesOfStep } from '@pilothouse/core/workflow/lint/lint-surface';
import { formsOf, type Forms } from './action-forms.ts';

let cached: Forms | undefined;

/** Forms of all actions, derived from the JSON Schema of the contract. */
export const actionForms = (): Forms => (cached ??= formsOf(workflowJsonSchema(), surfacesOfStep));
