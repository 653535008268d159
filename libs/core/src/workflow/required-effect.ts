import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';

/**
 * Fails a step with `require: delivered` whose text could not be read back.
 * @throws PilothouseError TYPED_TEXT_DIFFERS with the reason
 */
export function assertRequiredEffect(action: Action, { effect, effectReason }: ActionEffect): void {
  const isRequired = 'require' in action && action.require === 'delivered';
  if (!isRequired || effect === 'confirmed') return;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `The text may not have been delivered: ${effectReason ?? 'the field could not be read back'}. Give the field as \`target\`, or remove \`require\``,
    { details: { effect, ...(effectReason !== undefined && { effectReason }) } },
  );
}
