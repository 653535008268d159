-- A decision of a person names the person; an entry of the audit log says what a value was before and after.
-- AlterTable
ALTER TABLE "fleet_decision" ADD COLUMN "by" TEXT;

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN "before" JSON, ADD COLUMN "after" JSON;
