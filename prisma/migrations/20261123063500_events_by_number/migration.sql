-- Which events of a worker are new is seen from `event_n` of the locked run, and no statement has named this index since then: it cost each
-- event a second entry.
DROP INDEX "run_event_run_id_epoch_n_key";
