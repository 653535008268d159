import type { Json } from '@pilothouse/contract/primitives.schema';
import { MASK } from '../secret/secret-masker.ts';
import { referencedSecret } from './secret-reference.ts';

/** A template, or the rest of one in a truncated text. */
const TEMPLATE = /\{\{([^{}…]*)(?:\}\}|…|$)/g;
const INPUT = /^(?:inputs|secrets|credential)\.([A-Za-z_][A-Za-z0-9_]*)$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Values that a title may show. */
export interface DisplayTitleOptions {
  /** Inputs of the run by name. The value of a secret is the mask, or a reference to a secret of the project. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** True if other templates stay readable, as in an editor. Otherwise they become `…`. */
  readonly keepsTemplates?: boolean;
}

/**
 * Title of a step for people. Dots stand for the value of a secret, with its name: `Type “•••• (password)” into “Password”`. An input
 * shows its value, a file input its name.
 */
export function displayTitle(title: string, { inputs, keepsTemplates = false }: DisplayTitleOptions): string {
  const shown = title.replace(TEMPLATE, (template: string, source: string) => {
    const expression = source.trim();
    const [, name] = INPUT.exec(expression) ?? [];
    if (name !== undefined && !template.includes('…')) {
      if (isSecret(inputs[name]) || !expression.startsWith('inputs.')) return `${MASK} (${name})`;
      const value = keepsTemplates ? undefined : inputs[name];
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return isUploadId(value) ? name : String(value);
    }
    return keepsTemplates ? template : '…';
  });
  return Object.entries(inputs)
    .filter(([, value]) => isUploadId(value))
    .reduce((text, [name, id]) => text.replaceAll(String(id), name), shown);
}

const isSecret = (value: Json | undefined): boolean => value === MASK || referencedSecret(value) !== null;

const isUploadId = (value: Json | undefined): boolean => typeof value === 'string' && UUID.test(value);
