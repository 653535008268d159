import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { RunDispatcher } from './run-dispatcher.ts';

describe('a slot that becomes free', () => {
  const harness = useGatewayHarness();

  it('is filled from the backlog at once, even after the window was filled for another fleet', async () => {
    const { fleet, pool, log } = harness;
    await Promise.all(Array.from({ length: 40 }, () => harness.submit()));
    const board = { add: async () => undefined, findMissing: async () => [], removeStale: async () => undefined };
    const dispatch = new RunDispatcher({ pool, jobQueue: board, fleetName: async () => fleet.name, window: 32, log });
    const slots = { free: 0, claimCalls: 0 };
    dispatch.attachLocalSlots({
      free: () => slots.free,
      claim: async () => {
        slots.claimCalls += 1;
        return { slots: slots.free, filled: 0 };
      },
      offer: () => false,
    });
    await dispatch.admit(fleet.id);
    const { rows } = await pool.query(
      'SELECT count(*) AS admitted FROM run WHERE fleet_id = $1 AND admitted_at IS NOT NULL',
      [fleet.id],
    );
    expect(rows).toEqual([{ admitted: 32 }]);
    slots.free = 1;
    dispatch.onSlotFreed(fleet.id);
    expect(slots.claimCalls).toBe(1);
  });
});
