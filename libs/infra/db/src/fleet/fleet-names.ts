import type { Pool } from '../client/pg-pool.ts';

/** Names of fleets by their ids. A fleet is never renamed, so a name is read once. */
export class FleetNames {
  private readonly names = new Map<string, string>();
  private readonly pending = new Map<string, Promise<string | null>>();

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** The name of a fleet; null: the fleet does not exist. @throws errors of `pg` */
  async find(id: string): Promise<string | null> {
    const name = this.names.get(id);
    if (name !== undefined) return name;
    const reading = this.pending.get(id) ?? this.read(id).finally(() => this.pending.delete(id));
    this.pending.set(id, reading);
    return reading;
  }

  /** Calls back with the name: at once if it is known, never if it cannot be read. */
  withName(id: string, callback: (fleet: string) => void): void {
    const name = this.names.get(id);
    if (name !== undefined) return callback(name);
    void this.find(id)
      .catch(() => null)
      .then((name) => {
        if (name !== null) callback(name);
      });
  }

  private async read(id: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ name: string }>('SELECT name FROM fleet WHERE id = $1', [id]);
    const name = rows[0]?.name;
    if (name !== undefined) this.names.set(id, name);
    return name ?? null;
  }
}
