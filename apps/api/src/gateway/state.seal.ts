import type { Vault } from '@pilothouse/infra-vault';

/** Seals the state of a run's surface: it holds cookies, and opens only for the run it was sealed for. */
export interface SurfaceStateSealer {
  seal(state: string, run: string): Buffer;
  /** @throws PilothouseError INTERNAL when it was sealed under another key or for another run */
  open(sealed: Uint8Array, run: string): string;
}

const contextOf = (run: string) => ({ context: `state:${run}` });

/** The seal under the master key. */
export const createSurfaceStateSealer = (vault: Pick<Vault, 'seal' | 'open'>): SurfaceStateSealer => ({
  seal: (state, run) => vault.seal(state, contextOf(run)),
  open: (sealed, run) => vault.open(sealed, contextOf(run)).toString('utf8'),
});
