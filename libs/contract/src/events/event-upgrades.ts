import { PilothouseError } from '../errors/pilothouse-error.ts';
import { questionKey, type RunQuestion } from '../run/run-question.schema.ts';
import { eventVersions, type EventType, type RunEvent } from './run.events.ts';

type Data = RunEvent['data'];

/** How data of an old version becomes data of the next: `upgrades[type][version]` leads from `version` to `version + 1`. */
export type EventUpgrades = Partial<Record<EventType, Record<number, (data: Data) => Data>>>;

/** The upgrades of the house. */
export const eventUpgrades: EventUpgrades = {
  // 2 has more kinds of notes.
  'agent.note': { 1: (data) => data },
  // 2 says on which page it was done, how its element is found again, and whether it can be taken back.
  'agent.action_completed': { 1: (data) => ({ ...data, pageBefore: null, locators: [], effect: null }) },
};

/**
 * An event as readers get it: in its newest version, and with the key of what it asks.
 * @throws PilothouseError INTERNAL when a step of the way is missing: a version was dropped, which must never happen.
 */
export function upgradeEvent(
  event: RunEvent,
  upgrades: EventUpgrades = eventUpgrades,
  versions = eventVersions,
): RunEvent {
  const newest = versions[event.type];
  let { v, data } = event;
  while (v < newest) {
    const upgrade = upgrades[event.type]?.[v];
    if (!upgrade) throw new PilothouseError('INTERNAL', `No upgrade for event ${event.type} from version ${v}`);
    data = upgrade(data);
    v += 1;
  }
  // No worker gives it, and what was asked before questions had keys is told with one, too.
  if (event.type === 'run.awaiting_user')
    data = { ...data, key: questionKey(data as unknown as RunQuestion, event.epoch) };
  return data === event.data ? event : { ...event, v, data };
}
