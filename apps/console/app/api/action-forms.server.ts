import { workflowJsonSchema } from '@pilothouse/core';
import { formsOf, type Forms } from '../editor/form/action-forms.ts';

let cached: Forms | undefined;

/** The forms of all actions, from the schema that the contract has of them. */
export const actionForms = (): Forms => (cached ??= formsOf(workflowJsonSchema()));
