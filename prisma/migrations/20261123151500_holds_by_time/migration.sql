-- Each call that ends looks for the rooms of its project whose time is over, not for all of the last minutes.
-- CreateIndex
CREATE INDEX "model_hold_project_id_until_idx" ON "model_hold"("project_id", "until");

-- DropIndex
DROP INDEX "model_hold_project_id_idx";
