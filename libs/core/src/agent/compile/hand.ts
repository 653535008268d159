import { toLocatorChain, type WorkflowDefinition } from '@pilothouse/contract';
import { MASK } from '../../secret/masker.ts';
import { locatorNames } from '../heal/wanted.ts';
import type { ActionRecord, RecordedGoal } from './record.ts';

/** Most characters of the name of an input that is made of what a field is called. */
const LONGEST = 40;

/** What a run was given. */
interface Given {
  readonly definition: Pick<WorkflowDefinition, 'inputs'>;
  /** Names of its secret inputs. */
  readonly secrets: readonly string[];
}

/**
 * Secrets that a person typed are kept nowhere: the next run is given them, as inputs that are called as their fields are.
 * @returns the records with templates in their place, and the names of inputs that the workflow does not have yet
 */
export function typedSecretsToInputs(
  records: ReadonlyMap<string, RecordedGoal>,
  { definition, secrets }: Given,
): { records: ReadonlyMap<string, RecordedGoal>; inputs: readonly string[] } {
  const made = new Map<string, string>();
  const taken = new Set(Object.keys(definition.inputs ?? {}));
  /** The same field has the same secret. */
  const inputOf = (field: string, called: string): string => {
    const known = made.get(field);
    if (known !== undefined) return known;
    const base = nameOf(called);
    let name = base;
    // A secret input of the run that is called as the field is what was typed there.
    for (let n = 2; (taken.has(name) && !secrets.includes(name)) || [...made.values()].includes(name); n += 1)
      name = `${base}${n}`;
    made.set(field, name);
    return name;
  };
  const told = [...records].map(([at, record]): [string, RecordedGoal] => {
    const deeds = record.deeds.flatMap((deed, index) => {
      const field = secretField(deed);
      if (field === null) return deed;
      // What is typed in several goes is one secret.
      return secretField(record.deeds[index - 1]) === field ? [] : typing(deed, inputOf(field, calledBy(deed)));
    });
    return [at, { ...record, deeds }];
  });
  const inputs = [...new Set(made.values())].filter((name) => !taken.has(name));
  return { records: new Map(told), inputs };
}

/** What tells the field of a secret from others; null: no secret was typed by hand. */
const secretField = (deed: ActionRecord | undefined): string | null =>
  deed && deed.hand !== null && deed.move.action === 'type' && deed.move.text === MASK
    ? JSON.stringify(deed.move.target)
    : null;

const calledBy = ({ move }: ActionRecord): string =>
  move.action === 'type' ? (toLocatorChain(move.target).flatMap(locatorNames)[0] ?? 'secret') : 'secret';

const typing = (deed: ActionRecord, input: string): ActionRecord =>
  deed.move.action === 'type' ? { ...deed, move: { ...deed.move, text: `{{inputs.${input}}}` } } : deed;

/** `Your password` → `yourPassword`. */
function nameOf(field: string): string {
  const words = field.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('')
    .slice(0, LONGEST);
  return /^[A-Za-z]/.test(name) ? name : `secret${name}`;
}
