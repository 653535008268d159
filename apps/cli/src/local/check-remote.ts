import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { Api } from '../api/api-port.ts';
import { asCommandError, isProblem } from '../api/error-message.ts';
import { note, ok, problem, type Finding } from './finding.ts';

/** Checks an installation on another machine with the requests that its API key allows. */
export async function checkRemote(connect: () => Pick<Api, 'project' | 'fleets'>, url: string): Promise<Finding[]> {
  try {
    const api = connect();
    const { slug } = await api.project();
    return [ok('API', `${url} (project ${slug})`), checkFleets(await api.fleets())];
  } catch (thrown) {
    const { message, lines } = asCommandError(thrown);
    const fix = isProblem(thrown, 'UNAVAILABLE')
      ? 'Check PILOTHOUSE_URL and that the API runs.'
      : lines.join(' ') || 'Check PILOTHOUSE_URL and PILOTHOUSE_API_KEY.';
    return [problem('API', `${url}: ${message}`, fix)];
  }
}

/** Result of the check of workers. Fleets scale to zero: only queued runs without a worker are a problem. */
export function checkFleets(
  fleets: readonly Pick<FleetView, 'name' | 'waiting' | 'workers' | 'conditions'>[],
  fix = 'List conditions and workers: npx pilothouse fleets list',
): Finding {
  const stalled = fleets.filter(
    ({ waiting, workers }) => waiting > 0 && workers.every(({ state }) => state !== 'ready'),
  );
  const describeFleet = ({ name, conditions }: (typeof fleets)[number]) =>
    [name, ...conditions.map(({ message }) => message)].join(': ');
  if (stalled.length > 0)
    return problem('workers', `queued runs but no worker: ${stalled.map(describeFleet).join('; ')}`, fix);
  const readyCount = fleets.flatMap(({ workers }) => workers).filter(({ state }) => state === 'ready').length;
  return readyCount > 0
    ? ok('workers', `${readyCount} connected`)
    : note('workers', 'none connected', 'The next run starts one.');
}
