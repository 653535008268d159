-- Who wants a proposal published once its replay has proved it.
ALTER TABLE "proposal" ADD COLUMN "approved_by" TEXT;
