import type { Pool } from '@pilothouse/infra-db';

/** Names of fleets by their ids, for labels. A fleet is never renamed, so what was read once is kept. */
export class FleetNames {
  private readonly pool: Pick<Pool, 'query'>;
  private readonly known = new Map<string, string>();
  private readonly pending = new Map<string, Promise<void>>();

  constructor(pool: Pick<Pool, 'query'>) {
    this.pool = pool;
  }

  /** Calls with the name: at once, when it is known; never, when it cannot be read. */
  withName(id: string, then: (fleet: string) => void): void {
    const name = this.known.get(id);
    if (name !== undefined) return then(name);
    void this.ask(id).then(() => {
      const found = this.known.get(id);
      if (found !== undefined) then(found);
    });
  }

  private ask(id: string): Promise<void> {
    const asking =
      this.pending.get(id) ??
      this.pool
        .query<{ name: string }>('SELECT name FROM fleet WHERE id = $1', [id])
        .then(({ rows }) => {
          if (rows[0]) this.known.set(id, rows[0].name);
        })
        .catch(() => undefined)
        .finally(() => this.pending.delete(id));
    this.pending.set(id, asking);
    return asking;
  }
}
