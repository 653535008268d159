-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "by" TEXT NOT NULL,
    "by_id" UUID NOT NULL,
    "by_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "details" JSON NOT NULL,
    "address" TEXT NOT NULL,
    "request" TEXT NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entry_project_id_at_id_idx" ON "audit_entry"("project_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_by_id_at_idx" ON "audit_entry"("by_id", "at" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_at_idx" ON "audit_entry"("at");

