-- The intent of the first step, as an event without its time: the first claim of the run writes it, so that the worker acts at once.
ALTER TABLE "run" ADD COLUMN "opening" JSON;
