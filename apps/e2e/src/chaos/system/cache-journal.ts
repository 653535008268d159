import type { Pool } from '@pilothouse/infra-db';

/** Records all writes to the action cache, because later runs overwrite the table. One transaction is one write. */
export async function createCacheJournal(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE chaos_remembered (run_id uuid NOT NULL, actions json NOT NULL, keeping bigint NOT NULL DEFAULT txid_current());
    CREATE FUNCTION chaos_remember() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.chaos_remembered (run_id, actions) VALUES (NEW.run_id, NEW.actions); RETURN NEW; END $$;
    CREATE TRIGGER chaos_remember AFTER INSERT OR UPDATE OF actions ON action_cache
      FOR EACH ROW EXECUTE FUNCTION chaos_remember();`);
}
