-- The time of a screenshot relative to its step.
ALTER TABLE "artifact" ADD COLUMN "moment" TEXT;
