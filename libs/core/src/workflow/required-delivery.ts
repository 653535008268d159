import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome } from '../ports/surface-action.port.ts';

/**
 * Fails a step with `require: delivered` whose text could not be read back. A surface that reports no delivery has verified the text.
 * @throws PilothouseError TYPED_TEXT_DIFFERS with the reason
 */
export function assertRequiredDelivery(action: Action, { delivery }: Pick<ActionOutcome, 'delivery'>): void {
  const isRequired = 'require' in action && action.require === 'delivered';
  if (!isRequired || !delivery || delivery.status === 'delivered') return;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `The typed text was not confirmed: ${delivery.reason ?? 'the field could not be read back'}. Give the field as \`target\`, or remove \`require\``,
    { details: { delivery } },
  );
}
