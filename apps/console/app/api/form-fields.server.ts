import { data } from 'react-router';
/** Text of a form field; empty if the field is missing. */
export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/**
 * Reads a form field that accepts a closed set of values. An unknown value must never select an action.
 * @throws a 400 router response that names the field
 */
export function choiceOf<const Value extends string>(form: FormData, field: string, values: readonly Value[]): Value {
  const value = textOf(form, field);
  const match = values.find((allowed) => allowed === value);
  if (match === undefined)
    throw badFormResponse(`Field "${field}" must be one of: ${values.join(', ')}. Reload the page.`);
  return match;
}

/** The action that a form requests in its field `intent`. @throws a 400 router response */
export const intentOf = <const Intent extends string>(form: FormData, intents: readonly Intent[]): Intent =>
  choiceOf(form, 'intent', intents);

/** Response to a form that the console does not produce. */
export const badFormResponse = (message: string) => data({ code: 'VALIDATION_FAILED', message }, { status: 400 });

/** Marks the end of a `switch` over a closed set: a missing case is a type error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`);
}
