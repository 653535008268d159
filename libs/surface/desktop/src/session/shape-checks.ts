/* Checks of values that a hostile session process may have sent. A check returns a copy that has only known properties. */

/** @throws Error for a value of another shape */
export type Check<Value> = (value: unknown) => Value;

/** The session process sent something else than it is asked for. */
export class ShapeError extends Error {}

const refuse = (expected: string): never => {
  throw new ShapeError(`expected ${expected}`);
};

export const boolean: Check<boolean> = (value) => (typeof value === 'boolean' ? value : refuse('a boolean'));

export const number: Check<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse('a number');

/** A whole number that is not negative. */
export const count: Check<number> = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : refuse('a count');

/** @param maxCharacters longest text */
export const text =
  (maxCharacters: number): Check<string> =>
  (value) =>
    typeof value === 'string' && value.length <= maxCharacters
      ? value
      : refuse(`a text of at most ${maxCharacters} characters`);

export const bytes: Check<Uint8Array> = (value) => (value instanceof Uint8Array ? value : refuse('bytes'));

export const nothing: Check<null> = (value) => (value === null ? null : refuse('null'));

export const oneOf =
  <const Values extends readonly (string | boolean)[]>(...values: Values): Check<Values[number]> =>
  (value) =>
    values.includes(value as Values[number]) ? (value as Values[number]) : refuse(values.join(' or '));

export const nullable =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value) =>
    value === null ? null : check(value);

/** @param maxLength most entries */
export const list =
  <Value>(check: Check<Value>, maxLength: number): Check<Value[]> =>
  (value) =>
    Array.isArray(value) && value.length <= maxLength
      ? value.map((entry) => check(entry))
      : refuse(`a list of at most ${maxLength} entries`);

type Checks<Value> = { readonly [Name in keyof Value]-?: Check<Exclude<Value[Name], undefined>> };

/** Names of optional properties. */
type OptionalName<Value> = { [Name in keyof Value]-?: undefined extends Value[Name] ? Name : never }[keyof Value];

/** @param optional properties that may be missing */
export const object =
  <Value extends object>(checks: Checks<Value>, optional: readonly OptionalName<Value>[] = []): Check<Value> =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('an object');
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(checks) as (keyof Value & string)[]) {
      const property = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      if (property === undefined && (optional as readonly unknown[]).includes(name)) continue;
      try {
        result[name] = checks[name](property);
      } catch (error) {
        throw new ShapeError(`${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return result as Value;
  };
