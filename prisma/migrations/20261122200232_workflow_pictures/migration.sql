-- A version as it was written, comments and layout included; and the picture that somebody gave a workflow.
ALTER TABLE "workflow_version" ADD COLUMN "source" TEXT;
ALTER TABLE "workflow" ADD COLUMN "picture_key" TEXT;
