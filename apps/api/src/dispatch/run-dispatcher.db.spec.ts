import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { LocalSlots } from './local-slots.ts';
import { RunDispatcher } from './run-dispatcher.ts';

describe('a slot that becomes free', () => {
  const harness = useGatewayHarness();

  it('is filled from the backlog at once, even after the window was filled for another fleet', async () => {
    const { fleet, pool, log } = harness;
    await Promise.all(Array.from({ length: 40 }, () => harness.submit()));
    const board = { add: async () => undefined, findMissing: async () => [], removeStale: async () => undefined };
    const localSlots = new LocalSlots();
    const slots = {
      availableSlots: 0,
      claimCalls: 0,
      claimNext: async () => {
        slots.claimCalls += 1;
        return { slots: slots.availableSlots, filled: 0 };
      },
      tryDispatch: () => false,
    };
    localSlots.add(fleet.id, slots);
    const fleetName = async () => fleet.name;
    const dispatch = new RunDispatcher({ pool, jobQueue: board, localSlots, fleetName, window: 32, log });
    await dispatch.admit(fleet.id);
    const { rows } = await pool.query(
      'SELECT count(*) AS admitted FROM run WHERE fleet_id = $1 AND admitted_at IS NOT NULL',
      [fleet.id],
    );
    expect(rows).toEqual([{ admitted: 32 }]);
    slots.availableSlots = 1;
    dispatch.onSlotFreed(fleet.id);
    expect(slots.claimCalls).toBe(1);
  });
});
