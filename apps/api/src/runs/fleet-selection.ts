import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { didYouMean } from '@pilothouse/contract/nearest';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { EligibleFleet } from '@pilothouse/infra-db';
import { validationError } from '../http/request-validation.ts';

/**
 * Selects the fleet of a run: the named one, or the best one for the surface. Order: not paused, dedicated to the
 * project, called `default`, first by name.
 * @param fleets fleets that serve the project
 * @throws PilothouseError VALIDATION_FAILED when the named fleet does not fit, CONFLICT when no fleet fits
 */
export function selectFleet(
  fleets: readonly EligibleFleet[],
  surface: SurfaceKind,
  requestedName: string | undefined,
): EligibleFleet {
  const fitting = fleets.filter((fleet) => fleet.surface === surface);
  if (requestedName !== undefined) {
    const requestedFleet = fleets.find(({ name }) => name === requestedName);
    if (requestedFleet?.surface === surface) return requestedFleet;
    const names = fitting.map(({ name }) => name).join(', ') || 'none';
    const reason = requestedFleet
      ? `The fleet has the surface ${requestedFleet.surface}, but the workflow needs ${surface}`
      : 'Fleet not found in this project';
    const suggestion = didYouMean(
      requestedName,
      fitting.map(({ name }) => name),
    );
    const advice = suggestion && !requestedFleet ? `${suggestion} ` : '';
    throw validationError('body', [
      { pointer: '/fleet', detail: `${reason}. ${advice}Fleets for ${surface}: ${names}` },
    ]);
  }
  const rank = ({ paused, dedicated, name }: EligibleFleet) =>
    (paused ? 4 : 0) + (dedicated ? 0 : 2) + (name === 'default' ? 0 : 1);
  const [best] = fitting.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  if (best) return best;
  const fix = surfaceTraits[surface].needsSystemPackages
    ? 'the operator has to configure one. On a machine started with scripts/up, `npx pilothouse doctor` names the missing packages.'
    : 'the operator has to configure one (PILOTHOUSE_FLEETS)';
  throw new PilothouseError('CONFLICT', `No fleet for the surface ${surface} serves this project; ${fix}`);
}
