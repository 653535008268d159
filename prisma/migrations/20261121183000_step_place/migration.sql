-- Where a step stands in a workflow with control flow; null where its number says it, as for all steps before.
ALTER TABLE "run_step" ADD COLUMN "at" TEXT;
