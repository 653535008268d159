-- Claims in a row that no worker accepted.
ALTER TABLE "run" ADD COLUMN "refused" INTEGER NOT NULL DEFAULT 0;
