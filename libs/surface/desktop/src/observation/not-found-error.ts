import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { FIELD_ROLES } from '../accessibility/read-need.ts';
import { incompleteCauses } from './incomplete-list.ts';
import type { ScreenRead } from './screen-snapshot.ts';
import { describeScope } from '../targeting/window-match.ts';

/** Elements that a message names. */
const MAX_LISTED_ELEMENTS = 8;

/**
 * Creates the error of a chain without a match. It lists the elements of the window with the role of the first locator.
 * @param read the last read of the window; null: none has ended
 */
export function notFoundError(chain: readonly Locator[], read: ScreenRead | null): PilothouseError {
  const [locator = {}] = chain;
  const scope = describeScope(locator);
  const windowName = scope === '' ? 'the active window' : `the window ${scope}`;
  const others = chain.length > 1 ? ` (nor ${chain.slice(1).map(describeLocator).join(', ')})` : '';
  const tried = chain.map((chainLocator) => ({ locator: describeLocator(chainLocator), found: 'nothing' }));
  const reason: IncompleteReason | null = read === null ? 'timeout' : read.tree.incomplete;
  const cause = reason === null ? '' : `: ${incompleteCauses[reason]}`;
  if (reason === 'timeout' || reason === 'unresponsive')
    return new PilothouseError(
      'STEP_TIMED_OUT',
      `${describeLocator(locator)}${others} was not found in ${windowName} in time${cause}${presentElements(locator, read)}`,
      { details: { tried } },
    );
  return new PilothouseError(
    'TARGET_NOT_FOUND',
    `${describeLocator(locator)}${others} is not ${cause === '' ? 'in' : 'among the listed elements of'} ${windowName}${cause}${presentElements(locator, read)}`,
    { details: { tried } },
  );
}

/** Sentence with elements of a window that have the role of a locator, or are fields if it has a label. */
function presentElements({ role: wantedRole, label }: Locator, read: ScreenRead | null): string {
  const isWanted = (role: string) =>
    wantedRole === undefined ? label === undefined || FIELD_ROLES.includes(role) : role === wantedRole;
  const names = (read?.elements ?? [])
    .map(({ role, name, fallbackName = '', state }) => ({ role, name: name || fallbackName, state }))
    .filter(({ role, name, state }) => name !== '' && !state.disabled && isWanted(role))
    .slice(0, MAX_LISTED_ELEMENTS)
    .map(({ role, name }) => `${role} ${JSON.stringify(name)}`);
  return names.length === 0 ? '' : `. It has ${names.join(', ')}`;
}
