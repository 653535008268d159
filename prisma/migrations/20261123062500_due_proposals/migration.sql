-- What was proved and is to be published is looked for every second, and hardly ever there.
-- CreateIndex
CREATE INDEX "proposal_due_idx" ON "proposal"("workflow_id") WHERE status = 'open' AND proof = 'proved' AND (approved_by IS NOT NULL OR policy = 'auto');
